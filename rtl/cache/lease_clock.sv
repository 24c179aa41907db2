// SPDX-License-Identifier: Apache-2.0

/// The clock of a cache under leases (HALCONE, section 3.2): every answer moves it, installed or not (T5); an acquire
/// in causal mode moves it past every lease that has come in, if any has (T6); a rebase sets it back (T10).
module lease_clock #(
  /// Bits of a time, 4 to 16; the ports have 16, of which the upper ones are zero.
  parameter int unsigned TimeBits = weft_pkg::LeaseBits
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  /// An answer with these stamps has come; `installs_i`: its lease may be used here.
  input  logic        answered_i,
  input  logic        installs_i,
  input  logic [15:0] wts_i,
  input  logic [15:0] rts_i,
  /// Every lease has run out.
  input  logic        outlive_i,
  input  logic        rebase_i,
  output logic [15:0] clock_o,
  /// After this cycle's step.
  output logic [15:0] next_o,
  /// Rebases so far, as far as a request carries them.
  output logic [ 1:0] era_o
);
  typedef logic [TimeBits-1:0] time_t;
  time_t clock_q, clock_next, last_q;

  always_comb begin
    clock_next = clock_q;
    if (rebase_i) clock_next = '0;
    else if (answered_i && time_t'(wts_i) > clock_q) clock_next = time_t'(wts_i);
    else if (outlive_i && last_q != '0 && last_q >= clock_q) clock_next = last_q + time_t'(1);
  end

  always_ff @(posedge clk_i) begin
    clock_q <= clock_next;
    if (rebase_i) last_q <= '0;
    else if (answered_i && installs_i && time_t'(rts_i) > last_q) last_q <= time_t'(rts_i);
    era_o <= era_o + 2'(rebase_i);
    if (!rst_ni) begin
      clock_q <= '0;
      last_q  <= '0;
      era_o   <= '0;
    end
  end
  assign clock_o = 16'(clock_q);
  assign next_o  = 16'(clock_next);

  // Times beyond the field are 0.
  if (TimeBits < 16) begin : gen_narrow
    logic unused;
    assign unused = ^{wts_i[15:TimeBits], rts_i[15:TimeBits]};
  end
endmodule
