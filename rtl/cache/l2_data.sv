// SPDX-License-Identifier: Apache-2.0

/// Data of an L2 bank. Every step reads its line in stage B and has it in stage C, where stores, fills and atomics
/// write: the old line is still there to be written back, and the next step already sees the new one. Where a step takes
/// several cycles, stage C has two: the line comes out of the RAM, then it is changed; or three, the second for atomics.
module l2_data
  import weft_pkg::*;
  import l2_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  input  fault_e fault_i,

  /// Stage B: set and way of the step, and what it writes: bytes of a store, a whole line, the result of an atomic.
  input  logic  step_i,
  /// The step is tried: read as if it were performed, and not written.
  input  logic  tries_i,
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
  output logic [63:0] old_o,
  /// A cycle after stage C: the atomic, performed or tried, left what it had found.
  output logic        same_o
);
  localparam int unsigned IndexBits = $clog2(L2Sets * L2Ways);
  localparam int unsigned WordBits = LineBits - 3;

  logic [IndexBits-1:0] index, index_q;
  mask_t mask_q, mask, atomic_mask;
  line_t data_q, data, read;
  logic atomic_q, wide_q;
  logic [LineBits-1:2] offset_q;

  assign index = IndexBits'(32'(set_i) * L2Ways + 32'(way_i));

  // The step, beside its line: a cycle behind it where that is.
  typedef struct packed {
    logic [IndexBits-1:0] index;
    mask_t mask;
    line_t data;
    logic atomic;
    logic wide;
    logic [LineBits-1:2] offset;
  } change_t;
  change_t change, change_q, late, last;
  func_e func_q, late_func;
  always_comb begin : changes
    change = '{
        index: index,
        mask: mask_i,
        data: data_i,
        atomic: atomic_i,
        wide: wide_i,
        offset: offset_i
    };
    if (!step_i || !rst_ni) begin
      change.mask   = '0;
      change.atomic = 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    change_q <= change;
    func_q   <= func_i;
  end
  // ---------------------------------------------------------------- atomics
  line_t line;
  logic [WordBits-1:0] first_word, word;
  logic [63:0] old_word, old_value, old, result, new_value;
  assign first_word = change_q.offset[LineBits-1:3];
  assign old_word   = read[64*first_word+:64];
  assign old_value  = change_q.wide ? old_word :
                      {32'd0, change_q.offset[2] ? old_word[63:32] : old_word[31:0]};
  cut #(
    .Width($bits(change_t) + $bits(func_e) + 8 * Line + 64),
    .Cut  (32'(LateData > 0))
  ) u_cut (
    .clk_i,
    .data_i({change_q, func_q, read, old_value}),
    .data_o({late, late_func, line, old})
  );
  atomic u_atomic (
    .func_i   (late_func),
    .wide_i   (late.wide),
    .old_i    (old),
    .operand_i(late.data[63:0]),
    .compare_i(late.data[127:64]),
    .fault_i  (fault_i),
    .new_o    (result)
  );
  cut #(
    .Width($bits(change_t) + 8 * Line + 128),
    .Cut  (32'(LateData > 1))
  ) u_atomic_cut (
    .clk_i,
    .data_i({late, line, old, result}),
    .data_o({last, line_o, old_o, new_value})
  );
  assign index_q  = last.index;
  assign mask_q   = last.mask;
  assign data_q   = last.data;
  assign atomic_q = last.atomic;
  assign wide_q   = last.wide;
  assign offset_q = last.offset;
  assign word     = offset_q[LineBits-1:3];

  assign data_o = data_q;
  always_ff @(posedge clk_i) same_o <= new_value == old_o;

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
    .ren_i  (step_i || tries_i),
    .raddr_i(index),
    .rdata_o(read),
    .wen_i  (mask),
    .waddr_i(index_q),
    .wdata_i(data)
  );
endmodule
