// SPDX-License-Identifier: Apache-2.0

/// Data of an L2 bank. Every step reads its line in stage B and has it in stage C, where stores, fills and atomics
/// write: the old line is still there to be written back, and the next step already sees the new one.
module l2_data
  import weft_pkg::*;
  import l2_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  input  fault_e fault_i,

  /// Stage B: set and way of the step, and what it writes: bytes of a store, a whole line, the result of an atomic.
  input  logic  step_i,
  input  set_t  set_i,
  input  way_t  way_i,
  input  mask_t mask_i,
  input  line_t data_i,
  input  logic  atomic_i,
  input  func_e func_i,
  input  logic  wide_i,
  /// Word of the line that an atomic starts at.
  input  logic [LineBits-1:2] offset_i,

  /// Stage C: the step's data; the line as it was and as it is now; the value that an atomic found.
  output line_t       data_o,
  output line_t       line_o,
  output line_t       new_o,
  output logic [63:0] old_o
);
  localparam int unsigned IndexBits = $clog2(L2Sets * L2Ways);
  localparam int unsigned WordBits = LineBits - 3;

  logic [IndexBits-1:0] index, index_q;
  mask_t mask_q, mask, atomic_mask;
  line_t data_q, data;
  logic atomic_q, wide_q;
  func_e func_q;
  logic [LineBits-1:2] offset_q;

  assign index = IndexBits'(32'(set_i) * L2Ways + 32'(way_i));

  always_ff @(posedge clk_i) begin
    index_q <= index;
    mask_q <= step_i ? mask_i : '0;
    data_q <= data_i;
    atomic_q <= step_i && atomic_i;
    func_q <= func_i;
    wide_q <= wide_i;
    offset_q <= offset_i;
    if (!rst_ni) begin
      mask_q <= '0;
      atomic_q <= 1'b0;
    end
  end

  assign data_o = data_q;

  // ---------------------------------------------------------------- atomics
  logic [WordBits-1:0] word;
  logic [63:0] old_word, new_value;
  assign word     = offset_q[LineBits-1:3];
  assign old_word = line_o[64*word+:64];
  assign old_o    = wide_q ? old_word : {32'd0, offset_q[2] ? old_word[63:32] : old_word[31:0]};
  atomic u_atomic (
    .func_i   (func_q),
    .wide_i   (wide_q),
    .old_i    (old_o),
    .operand_i(data_q[63:0]),
    .compare_i(data_q[127:64]),
    .fault_i  (fault_i),
    .new_o    (new_value)
  );

  always_comb begin : merge
    atomic_mask = '0;
    atomic_mask[8*word+:8] = wide_q ? 8'hff : offset_q[2] ? 8'hf0 : 8'h0f;
    mask = atomic_q ? atomic_mask : mask_q;
    data = data_q;
    if (atomic_q) data = {(Line / 8) {wide_q ? new_value : {2{new_value[31:0]}}}};
  end

  always_comb foreach (mask[i]) new_o[8*i+:8] = mask[i] ? data[8*i+:8] : line_o[8*i+:8];

  ram #(
    .Words(L2Sets * L2Ways),
    .Width(8 * Line),
    .Granule(8)
  ) u_ram (
    .clk_i,
    .ren_i  (step_i),
    .raddr_i(index),
    .rdata_o(line_o),
    .wen_i  (mask),
    .waddr_i(index_q),
    .wdata_i(data)
  );
endmodule
