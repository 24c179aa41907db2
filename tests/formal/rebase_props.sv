// SPDX-License-Identifier: Apache-2.0

/// What `rebase` promises (T10): homes stand still from its beginning to its end; banks start again when no answer
/// is on its way between nodes, L1s when every bank has and no answer of the old time is on its way to one; and it
/// ends when all of them have, not before and not later.
///
/// `old_i` says which nodes have answers of the old time on their way to L1s, as the nodes' rules allow it.
module rebase_props
  import weft_pkg::*;
#(
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0,
  parameter int unsigned Settle = 3
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input rebase_report_t [Nodes-1:0] report_i,
  input logic           [Nodes-1:0] old_i
);
  localparam int unsigned SettleBits = $clog2(Settle + 1);
  typedef logic [SettleBits-1:0] settle_t;
  // Cycles in which a step that was under way at the stop ends.
  localparam settle_t Settled = SettleBits'(Settle);

  rebase_order_t order_o;
  logic begins_o, active_o;
  rebase #(
    .Settle(Settle)
  ) dut (
    .fault_i(fault_e'(Fault)),
    .*
  );

  logic [31:0] sent, received;
  logic [Nodes-1:0] receives, banks, answers, l1s;
  logic wants;
  always_comb begin
    sent     = '0;
    received = '0;
    wants    = 1'b0;
    for (int unsigned n = 0; n < Nodes; n++) begin
      sent += 32'(report_i[n].sent);
      received += 32'(report_i[n].received);
      wants |= report_i[n].wants;
      receives[n] = report_i[n].received != '0;
      banks[n]    = report_i[n].banks;
      answers[n]  = report_i[n].answers;
      l1s[n]      = report_i[n].l1s;
    end
  end

  // Of this rebase: cycles since the stop, has it come to the banks, who has started again.
  logic started_q = 1'b0;
  logic [31:0] flying_q;
  settle_t stopped_q;
  logic dropped_q;
  logic [Nodes-1:0] banks_q, l1s_q, old_q;
  // Of the last cycle.
  rebase_order_t order_q;
  logic wants_q, all_banks_q, answers_q, all_l1s_q, may_drop_q, ran_q;
  always_ff @(posedge clk_i) begin
    started_q   <= 1'b1;
    flying_q    <= flying_q + sent - received;
    stopped_q   <= stopped_q + SettleBits'(stopped_q != Settled);
    dropped_q   <= dropped_q || order_o.banks;
    banks_q     <= banks_q | (order_o.banks ? banks : '0);
    l1s_q       <= l1s_q | (order_o.l1s ? l1s : '0);
    old_q       <= old_i;
    order_q     <= order_o;
    wants_q     <= wants;
    all_banks_q <= &banks;
    answers_q   <= answers != '0;
    all_l1s_q   <= &l1s;
    may_drop_q  <= stopped_q == Settled && flying_q == '0 && !dropped_q && !order_o.banks;
    ran_q       <= ran_q || (order_q.stop && !order_o.stop);
    if (!rst_ni || !order_o.stop) begin
      stopped_q <= '0;
      dropped_q <= 1'b0;
      banks_q   <= '0;
      l1s_q     <= '0;
    end
    if (!rst_ni) begin
      flying_q <= '0;
      old_q    <= '0;
      order_q  <= '0;
      ran_q    <= 1'b0;
      {wants_q, all_banks_q, answers_q, all_l1s_q, may_drop_q} <= '0;
    end
  end

  // The rules: what arrives was sent; homes that are stopped send nothing any more; a node says that answers to its
  // L1s are on their way, and a bank that has started again makes no answer of the old time but from one that comes.
  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (rst_ni) begin
      assume (received <= flying_q && flying_q + sent < 32'd65536);
      assume (stopped_q != Settled || sent == '0);
      assume ((old_i & ~answers) == '0);
      assume ((old_i & ~old_q & banks_q & ~receives) == '0);
    end
  end

  logic drains;
  assign drains = order_o.stop && dropped_q && !order_o.banks && !order_o.l1s;
  always_comb begin
    if (rst_ni) begin
      stops_when_one_asks : assert (order_o.stop || order_q.stop || !wants_q);
      stops_only_when_one_asks : assert (!order_o.stop || order_q.stop || wants_q);
      stopped_until_all_have_started_again : assert (order_o.stop || !order_q.stop || (&banks_q && &l1s_q));
      orders_only_in_a_stop : assert (order_o.stop || (!order_o.banks && !order_o.l1s));
      banks_before_l1s : assert (!order_o.l1s || (!order_o.banks && &banks_q));
      banks_start_when_nothing_flies : assert (!order_o.banks || (flying_q == '0 && sent == '0));
      nothing_flies_until_the_end : assert (!dropped_q || !order_o.stop || flying_q == '0);
      l1s_start_without_old_answers : assert (!order_o.l1s || old_i == '0);
      // Who may go on does: no phase waits for anything else.
      banks_start_as_soon_as_they_may : assert (!order_q.stop || !may_drop_q || order_o.banks);
      banks_are_told_until_they_have : assert (!order_q.banks || order_o.banks == !all_banks_q);
      l1s_start_as_soon_as_they_may : assert (!drains || order_q.banks || answers_q);
      ends_as_soon_as_it_may : assert (!order_q.l1s || order_o.stop == !all_l1s_q);
      counted_once : assert (begins_o == (wants && !order_o.stop) && active_o == order_o.stop);

      reach_waits_for_answers : cover (stopped_q == Settled && flying_q != '0);
      reach_waits_for_banks : cover (order_o.banks && order_q.banks);
      reach_waits_for_old_answers : cover (drains && old_i != '0);
      reach_waits_for_l1s : cover (order_o.l1s && order_q.l1s);
      reach_end : cover (order_q.stop && !order_o.stop);
      reach_next_one : cover (ran_q && order_o.banks);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  localparam logic [2:0] Stop = 3'd1, Banks = 3'd2, L1s = 3'd4;
  always_comb begin
    if (rst_ni) begin
      induct_phase : assert (dut.phase_q <= L1s);
      induct_flying : assert (32'(dut.flying_q) == flying_q);
      induct_settles : assert (dut.wait_q == (order_o.stop ? Settled - stopped_q : '0));
      induct_stop : assert (dut.phase_q != Stop || (!dropped_q && !order_q.banks && !order_q.l1s));
      induct_settled : assert (dut.phase_q < Banks || (stopped_q == Settled && flying_q == '0));
      induct_dropped : assert (dut.phase_q <= Banks || (dropped_q && &banks_q));
      induct_old : assert (!order_o.l1s || old_q == '0);
    end
  end
endmodule
