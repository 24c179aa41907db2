// SPDX-License-Identifier: Apache-2.0

/// Makes stores of a payload that was found well-formed: a WRITE per cycle, split where a line ends. The payload is read
/// through a window of two rows, each of a line's bytes, which moves with the sub-transactions.
module depacketizer_emit
  import weft_pkg::*;
  import finepack_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic        [ 3:0] self_i,
  input  sub_header_t        sub_header_i,
  /// A packet is here: its sender, base and bytes; steady until `done_o`.
  input  logic               valid_i,
  input  logic        [ 3:0] src_i,
  input  logic        [39:0] base_i,
  input  logic        [12:0] bytes_i,
  /// Rows of the payload: asked for now, there in the next cycle until asked again.
  output logic               read_o,
  output logic        [12:0] at_o,
  input  line_t              low_i,
  input  line_t              high_i,
  output logic               valid_o,
  input  logic               ready_i,
  output req_t               req_o,
  output logic        [ 7:0] bytes_o,
  /// Its last store leaves.
  output logic               done_o
);
  localparam int unsigned LineBits = $clog2(Line);
  typedef logic [7:0] bytes_t;

  // Where the window begins, and the store that is under way there, if its sub-header is behind.
  logic loaded_q, inside_q;
  logic [12:0] at_q, at_next;
  logic [9:0] left_q, left, length;
  logic [39:0] address_q, address;
  logic [37:0] offset;
  logic [8*Line-1:0] data;
  logic [8*(Line+1)-1:0] window;
  logic [LineBits-1:0] place;
  bytes_t piece, skip;
  logic too_long, moves, ends;

  assign window = (8 * (Line + 1))'({high_i, low_i} >> {at_q[LineBits-1:0], 3'b000});

  assign length = window[9:0];
  always_comb begin
    case (sub_header_i)
      3'd2: offset = 38'(window[15:10]);
      3'd3: offset = 38'(window[23:10]);
      3'd4: offset = 38'(window[31:10]);
      3'd5: offset = 38'(window[39:10]);
      default: offset = window[47:10];
    endcase
  end

  assign address = inside_q ? address_q : base_i + 40'(offset);
  assign left    = inside_q ? left_q : length;
  assign place   = address[LineBits-1:0];
  assign piece   = (32'(left) < Line - 32'(place)) ? bytes_t'(left) : bytes_t'(Line - 32'(place));
  assign skip    = inside_q ? '0 : bytes_t'(sub_header_i);
  // The window has a byte more than a line: sub-header and data may not both be in it. Then the data is next.
  assign too_long = 32'(skip) + 32'(piece) > Line + 1;

  assign valid_o = loaded_q && !too_long;
  assign moves   = loaded_q && (too_long || ready_i);
  assign at_next = at_q + 13'(skip) + (too_long ? 13'd0 : 13'(piece));
  assign ends    = !too_long && 10'(piece) == left;
  assign done_o  = moves && ends && at_next >= bytes_i;
  assign bytes_o = piece;

  always_comb begin
    data          = (8 * Line)'(window >> {skip, 3'b000}) << {place, 3'b000};
    req_o = '0;
    req_o.kind    = ReqKindWrite;
    req_o.src     = src_i;
    req_o.dst     = self_i;
    req_o.address = {address[39:LineBits], LineBits'(0)};
    for (int unsigned i = 0; i < Line; i++) begin
      req_o.mask[i] = i >= 32'(place) && i < 32'(place) + 32'(piece);
      if (req_o.mask[i]) req_o.data[8*i+:8] = data[8*i+:8];
    end
  end

  assign at_o   = (moves && !done_o) ? at_next : '0;
  assign read_o = loaded_q ? moves && !done_o : valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      inside_q <= 1'b0;
      at_q     <= '0;
    end else begin
      if (done_o) loaded_q <= 1'b0;
      else if (valid_i) loaded_q <= 1'b1;
      if (moves) begin
        at_q     <= done_o ? '0 : at_next;
        inside_q <= !ends;
      end
    end
    if (moves) begin
      left_q    <= too_long ? left : left - 10'(piece);
      address_q <= too_long ? address : address + 40'(piece);
    end
  end
endmodule
