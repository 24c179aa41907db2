// SPDX-License-Identifier: Apache-2.0

/// Walks a packet's payload as its chunks come in, one sub-header per cycle, and says at its end whether it is
/// well-formed. A sub-header may begin in one chunk and end in the next.
module depacketizer_check
  import weft_pkg::*;
  import finepack_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  sub_header_t        sub_header_i,
  /// The packet's base, in its node; steady.
  input  logic        [35:0] base_i,
  /// A packet begins.
  input  logic               begin_i,
  /// A chunk: taken when ready. `broken_i`: the chunks are not those of the head; nothing more is looked at.
  input  logic               valid_i,
  output logic               ready_o,
  input  line_t              data_i,
  input  logic        [ 7:0] bytes_i,
  input  logic               last_i,
  input  logic               broken_i,
  /// A chunk is being looked at.
  output logic               busy_o,
  /// The last chunk is done; the payload is that of whole stores. `cut_o`: the last store's data ends too early.
  output logic               done_o,
  output logic               good_o,
  output logic               cut_o
);
  localparam int unsigned Tail = SubHeaderMax - 1;
  typedef logic signed [12:0] place_t;

  logic valid_q, last_q, bad_q, in_chunk, ends;
  line_t data_q;
  logic [8*Tail-1:0] tail_q;
  place_t at_q, at_after, bytes_q;  // the next sub-header's place in the chunk, or before it
  logic [47:0] header;
  logic [9:0] length;
  logic [37:0] offset;
  logic wrong, fails;

  assign in_chunk = at_q + place_t'(13'(sub_header_i)) <= bytes_q;
  // Where the next sub-header begins, this one being looked at; the chunk is done when that one is not in it.
  assign at_after = at_q + (in_chunk ? place_t'(13'(sub_header_i)) + place_t'(13'(length)) : '0);
  assign fails    = bad_q || (in_chunk && wrong);
  assign ends     = valid_q && (fails || at_after + place_t'(13'(sub_header_i)) > bytes_q);
  assign ready_o  = !valid_q || (ends && !last_q);
  assign busy_o   = valid_q;
  assign done_o   = ends && last_q;
  assign good_o   = !fails && at_after == bytes_q;
  assign cut_o    = !fails && at_after > bytes_q;

  // A sub-header at its place, from five bytes before the chunk on.
  always_comb begin
    header = 48'({data_q, tail_q} >> {8'(at_q + place_t'(Tail)), 3'b000});
    length = header[9:0];
    case (sub_header_i)
      3'd2: offset = 38'(header[15:10]);
      3'd3: offset = 38'(header[23:10]);
      3'd4: offset = 38'(header[31:10]);
      3'd5: offset = 38'(header[39:10]);
      default: offset = header[47:10];
    endcase
    wrong = length == '0 || 39'(offset) + 39'(length) > 39'(window_mask(sub_header_i)) + 39'd1 ||
        39'(base_i) + 39'(offset) + 39'(length) > 39'(MemoryBytes);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else begin
      if (valid_i && ready_o) valid_q <= 1'b1;
      else if (ends) valid_q <= 1'b0;
    end
    if (begin_i) begin
      at_q  <= '0;
      bad_q <= 1'b0;
    end else begin
      if (valid_q) at_q <= ends ? at_after - bytes_q : at_after;
      if ((valid_i && ready_o && broken_i) || (valid_q && fails)) bad_q <= 1'b1;
    end
    if (valid_i && ready_o) begin
      data_q  <= data_i;
      tail_q  <= data_q[8*Line-1-:8*Tail];
      bytes_q <= place_t'(13'(bytes_i));
      last_q  <= last_i;
    end
  end
endmodule
