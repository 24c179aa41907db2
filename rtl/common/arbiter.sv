// SPDX-License-Identifier: Apache-2.0

/// Round-robin choice among `Count` requests, in the same cycle.
///
/// The turn is with one input at a time; the first request from there upward (and around) is granted. When
/// `advance_i` says that the grant was used, the turn passes to the input after the granted one, so an input
/// that keeps requesting is granted at least once in every `Count` uses. Without `advance_i` nothing moves.
module arbiter #(
  /// Number of inputs, from 1.
  parameter int unsigned Count = 2,
  /// Derived, not to be set.
  localparam int unsigned IndexWidth = (Count > 1) ? $clog2(Count) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [     Count-1:0] request_i,
  /// The grant of this cycle is used.
  input  logic                  advance_i,
  /// One-hot; zero when nothing is requested.
  output logic [     Count-1:0] grant_o,
  /// Number of the granted input; 0 when nothing is requested.
  output logic [IndexWidth-1:0] index_o
);
  if (Count <= 1) begin : gen_single
    assign grant_o = request_i;
    assign index_o = '0;
    // A single input always has the turn.
    logic unused;
    assign unused = ^{clk_i, rst_ni, advance_i};
  end else begin : gen_many
    // Inputs from the turn upward: a thermometer code, so that no comparison is on the way to the grant.
    logic [Count-1:0] turn_q, ahead, pool;

    assign ahead   = request_i & turn_q;
    assign pool    = (ahead != '0) ? ahead : request_i;
    assign grant_o = pool & (~pool + Count'(1));

    always_comb begin
      index_o = '0;
      for (int unsigned i = 0; i < Count; i++) begin
        if (grant_o[i]) index_o |= IndexWidth'(i);
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        turn_q <= '1;
      end else if (advance_i && request_i != '0) begin
        // All inputs above the granted one; none left means all again.
        turn_q <= ~((grant_o - Count'(1)) | grant_o);
      end
    end
  end

  if (Count < 1) begin : gen_check_count
    $error("arbiter: Count must be at least 1");
  end
endmodule
