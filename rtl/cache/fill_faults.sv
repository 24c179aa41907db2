// SPDX-License-Identifier: Apache-2.0

/// Seeded faults of an L2 bank that need state of their own, so that the bank itself has none of it: what becomes of
/// a fill that an INV or a store met on its way (R4). Without a fault chosen it does nothing.
module fill_faults
  import weft_pkg::*;
#(
  localparam int unsigned MissBits = $clog2(L2Misses)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  fault_e              fault_i,
  /// Stage B: a miss is allocated; an INV, a store meets the open one.
  input  logic                allocate_i,
  input  logic [MissBits-1:0] allocate_index_i,
  input  logic                inv_i,
  input  logic                store_i,
  input  logic [MissBits-1:0] open_index_i,
  input  mask_t               mask_i,
  input  line_t               data_i,
  /// Stage B: the miss whose line has come; it must not be installed.
  input  logic [MissBits-1:0] fill_index_i,
  output logic                poisoned_o,
  /// Stage A: a line that comes, and what it is taken for.
  input  logic [MissBits-1:0] line_index_i,
  input  line_t               line_i,
  output line_t               line_o
);
  logic [L2Misses-1:0] poison_q, merge_q;
  mask_t mask_q;
  line_t data_q;

  always_ff @(posedge clk_i) begin
    if (inv_i && fault_i == FaultL2InvKeepsJoining) poison_q[open_index_i] <= 1'b1;
    if (store_i && fault_i == FaultL2StoreMergesFill) begin
      merge_q <= L2Misses'(1) << open_index_i;
      mask_q  <= mask_i;
      data_q  <= data_i;
    end
    if (allocate_i) begin
      poison_q[allocate_index_i] <= 1'b0;
      merge_q[allocate_index_i]  <= 1'b0;
    end
    if (!rst_ni) begin
      poison_q <= '0;
      merge_q  <= '0;
    end
  end

  assign poisoned_o = poison_q[fill_index_i];
  always_comb begin
    line_o = line_i;
    for (int unsigned i = 0; i < Line; i++) begin
      if (merge_q[line_index_i] && mask_q[i]) line_o[8*i+:8] = data_q[8*i+:8];
    end
  end
endmodule
