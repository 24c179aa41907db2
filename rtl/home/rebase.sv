// SPDX-License-Identifier: Apache-2.0

/// Time starts again: leads all homes, banks and L1s of the fabric through a rebase when time stamps are about to
/// overflow (T10). Homes and banks stop taking requests, which stay where they are; when the answers between nodes
/// have arrived, every bank drops its copies and forgets the time, and its home too; when the answers to the L1s have
/// arrived, so does every L1. No byte is in danger: all are in memory when their stores are answered.
/// The states are those of sw/model/rebase.c.
module rebase
  import weft_pkg::*;
#(
  /// Cycles from the stop to the last step of a bank that was already under way.
  parameter int unsigned Settle = 3
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  fault_e                     fault_i,
  input  rebase_report_t [Nodes-1:0] report_i,
  output rebase_order_t              order_o,
  /// A rebase begins; one is under way.
  output logic                       begins_o,
  output logic                       active_o
);
  typedef enum logic [2:0] {
    Run,
    Stop,
    Banks,
    Drain,
    L1s
  } phase_e;

  phase_e phase_q, phase;
  logic [$clog2(Settle+1)-1:0] wait_q;
  logic [15:0] flying_q, sent, received;
  logic wants, banks, answers, l1s;
  logic keeps, l1s_first;
  assign keeps     = fault_i == FaultLeaseRebaseKeepsAnswers;
  assign l1s_first = fault_i == FaultLeaseRebaseL1First;
  always_comb begin : all_nodes
    sent     = '0;
    received = '0;
    wants    = 1'b0;
    banks    = 1'b1;
    answers  = 1'b0;
    l1s      = 1'b1;
    foreach (report_i[n]) begin
      sent += 16'(report_i[n].sent);
      received += 16'(report_i[n].received);
      wants |= report_i[n].wants;
      banks &= report_i[n].banks;
      answers |= report_i[n].answers;
      l1s &= report_i[n].l1s;
    end
  end

  always_comb begin : step
    phase = phase_q;
    unique case (phase_q)
      Run:     if (wants) phase = Stop;
      Stop:    if (wait_q == '0 && (flying_q == '0 || keeps)) phase = l1s_first ? L1s : Banks;
      Banks:   if (banks) phase = Drain;
      Drain:   if (!answers || keeps) phase = l1s_first ? Run : L1s;
      default: if (l1s) phase = l1s_first ? Banks : Run;
    endcase
  end

  always_ff @(posedge clk_i) begin
    phase_q  <= phase;
    wait_q   <= begins_o ? $bits(wait_q)'(Settle) : wait_q - $bits(wait_q)'(wait_q != '0);
    flying_q <= flying_q + sent - received;
    if (!rst_ni) begin
      phase_q  <= Run;
      wait_q   <= '0;
      flying_q <= '0;
    end
  end

  assign begins_o = phase_q == Run && phase == Stop;
  assign active_o = phase_q != Run;
  assign order_o  = '{stop: active_o, banks: phase_q == Banks, l1s: phase_q == L1s};
endmodule
