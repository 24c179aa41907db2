// SPDX-License-Identifier: Apache-2.0

/// The de-packetizer: packets become individual stores again. A packet is kept whole, and looked at whole, before its
/// first store leaves; a malformed one is dropped, counted, and not one of its bytes gets further. There is room for two:
/// one arrives while another one leaves. All other messages pass, behind the stores of the packets before them.
module depacketizer
  import weft_pkg::*;
  import finepack_pkg::*;
#(
  /// Bytes of the longest packet: more is malformed. A power of two from four lines to 4096.
  parameter int unsigned Payload = 4096
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic        [ 3:0] self_i,
  input  fault_e fault_i,
  /// Bytes of a sub-header, as the senders have it.
  input  sub_header_t        sub_header_i,
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  req_t               req_i,
  output logic               out_valid_o,
  input  logic               out_ready_i,
  output req_t               out_o,
  /// What leaves is a store of a packet, of so many bytes.
  output logic               store_o,
  output logic        [ 7:0] bytes_o,
  /// A packet was found whole; one, or a chunk of none, was dropped.
  output logic               whole_o,
  output logic               dropped_o,
  output logic               idle_o
);
  localparam int unsigned LineBits = $clog2(Line);
  localparam int unsigned PlaceBits = $clog2(Payload);
  localparam int unsigned RowsBits = PlaceBits - LineBits;  // rows of a line's bytes in a packet
  typedef struct packed {
    logic [3:0] src;
    logic [39:0] base;
    logic [12:0] declared;
  } info_t;

  // ---------------------------------------------------------------- state
  info_t info_q[2];
  logic open_q, broken_q, newest_q, oldest_q;
  logic [1:0] whole_q;
  logic [12:0] bytes_q;

  // ---------------------------------------------------------------- what comes in
  logic is_head, is_chunk, head_in, chunk_in, orphan_in, aborts, passes, empty;
  logic check_ready, check_busy, check_done, check_good, check_cut, good;
  logic [7:0] chunk_bytes;
  logic chunk_wrong, emitting, leaves;
  logic [39:0] base;
  logic [12:0] declared;

  assign base     = info_q[newest_q].base;
  assign declared = info_q[newest_q].declared;
  assign is_head  = req_i.kind == ReqKindPacket;
  assign is_chunk = req_i.kind == ReqKindChunk;
  assign empty    = whole_q == '0 && !open_q && !check_busy;

  // All chunks but the last are full, the bytes of the last are the first ones, and they are not more than the head says.
  assign chunk_bytes = 8'($countones(req_i.mask));
  assign chunk_wrong = req_i.mask == '0 || (req_i.mask & (req_i.mask + mask_t'(1))) != '0 ||
                       (!req_i.id[0] && 32'(chunk_bytes) != Line) ||
                       bytes_q + 13'(chunk_bytes) > declared;

  assign head_in   = req_valid_i && is_head && !open_q && !check_busy && whole_q != 2'd2;
  assign chunk_in  = req_valid_i && is_chunk && open_q && check_ready;
  assign orphan_in = req_valid_i && is_chunk && !open_q && !check_busy;
  assign aborts    = req_valid_i && !is_chunk && open_q && !check_busy;
  assign passes    = req_valid_i && !is_head && !is_chunk && empty;

  assign req_ready_o = head_in || chunk_in || orphan_in || (passes && out_ready_i);
  assign idle_o      = empty;

  depacketizer_check i_check (
    .clk_i,
    .rst_ni,
    .sub_header_i,
    .base_i  (base[35:0]),
    .begin_i (head_in),
    .valid_i (req_valid_i && is_chunk && open_q),
    .ready_o (check_ready),
    .data_i  (req_i.data),
    .bytes_i (chunk_bytes),
    .last_i  (req_i.id[0]),
    .broken_i(broken_q || chunk_wrong),
    .busy_o  (check_busy),
    .done_o  (check_done),
    .good_o  (check_good),
    .cut_o   (check_cut)
  );

  logic accepts_cut;
  assign good      = (check_good || (accepts_cut && check_cut)) && bytes_q == declared &&
                     base[39:36] == self_i;
  assign whole_o   = check_done && good;
  assign dropped_o = (check_done && !good) || orphan_in || aborts;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      newest_q <= 1'b0;
      oldest_q <= 1'b0;
      whole_q  <= '0;
    end else begin
      if (head_in) open_q <= 1'b1;
      else if (aborts || (chunk_in && req_i.id[0])) open_q <= 1'b0;
      if (whole_o) newest_q <= !newest_q;
      if (leaves) oldest_q <= !oldest_q;
      whole_q <= whole_q + 2'(whole_o) - 2'(leaves);
    end
    if (head_in) begin
      info_q[newest_q] <= '{src: req_i.src, base: req_i.address, declared: req_i.data[12:0]};
      broken_q         <= req_i.data[15:0] > 16'(Payload);
      bytes_q          <= '0;
    end else if (chunk_in) begin
      broken_q <= broken_q || chunk_wrong;
      if (!broken_q && !chunk_wrong) bytes_q <= bytes_q + 13'(chunk_bytes);
    end
  end

  // ---------------------------------------------------------------- the payload: even rows and odd rows
  logic read, stored_valid;
  logic [12:0] at;
  line_t rows[2];
  logic odd_q;
  req_t stored;

  for (genvar b = 0; b < 2; b++) begin : gen_rows
    // Of two rows from `at` on, the one of this parity.
    logic [RowsBits-2:0] wanted;
    assign wanted = (RowsBits - 1)'(at[12:LineBits+1]) + (RowsBits - 1)'(b == 0 && at[LineBits]);
    ram #(
      .Words(2 ** RowsBits),
      .Width(8 * Line)
    ) i_ram (
      .clk_i,
      .ren_i  (read),
      .raddr_i({oldest_q, wanted}),
      .rdata_o(rows[b]),
      .wen_i  (chunk_in && !broken_q && !chunk_wrong && bytes_q[LineBits] == 1'(b)),
      .waddr_i({newest_q, bytes_q[PlaceBits-1:LineBits+1]}),
      .wdata_i(req_i.data)
    );
  end

  always_ff @(posedge clk_i) begin
    if (read) odd_q <= at[LineBits];
  end

  depacketizer_emit i_emit (
    .clk_i,
    .rst_ni,
    .self_i,
    .sub_header_i,
    .valid_i(whole_q != '0),
    .src_i  (info_q[oldest_q].src),
    .base_i (info_q[oldest_q].base),
    .bytes_i(info_q[oldest_q].declared),
    .read_o (read),
    .at_o   (at),
    .low_i  (odd_q ? rows[1] : rows[0]),
    .high_i (odd_q ? rows[0] : rows[1]),
    .valid_o(stored_valid),
    .ready_i(out_ready_i),
    .req_o  (stored),
    .bytes_o,
    .done_o (leaves)
  );

  assign emitting    = whole_q != '0;
  assign out_valid_o = emitting ? stored_valid : passes;
  assign out_o       = emitting ? stored : req_i;
  assign store_o     = emitting && stored_valid && out_ready_i;

  if (Faults != 0) begin : gen_fault
    assign accepts_cut = fault_i == FaultDepacketizerAcceptsCut;
  end else begin : gen_no_fault
    assign accepts_cut = 1'b0;
    logic unused_fault;
    assign unused_fault = ^fault_i;
  end

  if (Payload < 4 * Line || Payload > 4096 || (Payload & (Payload - 1)) != 0) begin : gen_check_payload
    $error("depacketizer: Payload must be a power of two from four lines to 4096");
  end
endmodule
