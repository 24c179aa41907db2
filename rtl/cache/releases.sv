// SPDX-License-Identifier: Apache-2.0

/// System-scope releases in flight in one L2 bank (R6): to which homes the marker request has still to go, and
/// how many nodes have still to acknowledge. Acknowledgements come straight to the releaser.
module releases
  import weft_pkg::*;
#(
  /// Releases in flight at once.
  parameter int unsigned Entries = L2Releases,
  /// 1: an acknowledgement's release and count stand here for a cycle before it is taken.
  parameter int unsigned Cut = 32'(L2Interval > 3),
  localparam int unsigned IndexBits = (Entries > 1) ? $clog2(Entries) : 1
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  fault_e fault_i,

  input  logic       start_i,
  input  logic [2:0] cu_i,
  input  logic [5:0] id_i,
  /// The homes that a marker goes to: all of them.
  input  logic [Nodes-1:0] homes_i,

  /// The next marker request: lowest release with homes left, lowest home; send_i takes it.
  input  logic                 send_i,
  output logic                 pending_o,
  /// More than one marker request is left.
  output logic                 pending_more_o,
  output logic [IndexBits-1:0] send_index_o,
  output logic [3:0]           send_home_o,

  input  logic                 ack_i,
  input  logic [IndexBits-1:0] ack_index_i,
  input  logic [3:0]           ack_count_i,
  /// This acknowledgement is the release's last; it belongs to this CU and fence.
  output logic                 done_o,
  output logic [2:0]           done_cu_o,
  output logic [5:0]           done_id_o,

  /// Entry that start_i takes.
  output logic [IndexBits-1:0] free_index_o,
  output logic [$clog2(Entries+1)-1:0] free_o
);
  localparam int unsigned LeftBits = 8;  // 16 nodes: 240

  logic [Entries-1:0] used_q;
  logic [Entries-1:0][2:0] cu_q;
  logic [Entries-1:0][5:0] id_q;
  logic [Entries-1:0][Nodes-1:0] homes_q;
  logic [Entries-1:0][LeftBits-1:0] left_q;
  logic [LeftBits-1:0] left_then, left_after, left_start;
  always_comb begin
    left_start = '0;
    for (int h = 0; h < Nodes; h++) if (homes_i[h]) left_start += LeftBits'(Nodes - 1);
  end

  always_comb begin : choose
    free_index_o = '0;
    free_o = '0;
    pending_o = 1'b0;
    pending_more_o = 1'b0;
    send_index_o = '0;
    send_home_o = '0;
    for (int i = Entries - 1; i >= 0; i--) begin
      if (!used_q[i]) free_index_o = IndexBits'(i);
      free_o += $bits(free_o)'(!used_q[i]);
      for (int h = Nodes - 1; h >= 0; h--) begin
        if (homes_q[i][h]) begin
          pending_more_o = pending_o;
          pending_o = 1'b1;
          send_index_o = IndexBits'(i);
          send_home_o = 4'(h);
        end
      end
    end
  end

  always_comb begin : acknowledge
    left_then = left_q[ack_index_i] - LeftBits'(ack_count_i);
    if (fault_i == FaultReleaseCountsTwice && left_then != '0) left_then -= 1'b1;
  end
  cut #(
    .Width(LeftBits + 3 + 6),
    .Cut  (Cut)
  ) u_cut (
    .clk_i,
    .data_i({left_then, cu_q[ack_index_i], id_q[ack_index_i]}),
    .data_o({left_after, done_cu_o, done_id_o})
  );
  assign done_o = ack_i && left_after == '0;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      used_q[free_index_o] <= 1'b1;
      cu_q[free_index_o] <= cu_i;
      id_q[free_index_o] <= id_i;
      homes_q[free_index_o] <= homes_i;
      left_q[free_index_o] <= left_start;
    end
    if (send_i) homes_q[send_index_o] <= homes_q[send_index_o] & ~(Nodes'(1) << send_home_o);
    if (ack_i) left_q[ack_index_i] <= left_after;
    if (done_o) used_q[ack_index_i] <= 1'b0;
    if (!rst_ni) begin
      used_q <= '0;
      homes_q <= '0;
    end
    if (rst_ni) begin
      assert (!start_i || free_o != '0)
      else $error("releases: no entry free");
      assert (!ack_i || fault_i != FaultNone ||
              (used_q[ack_index_i] && left_q[ack_index_i] >= LeftBits'(ack_count_i)))
      else $error("releases: an acknowledgement too many");
    end
  end
endmodule
