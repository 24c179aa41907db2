// SPDX-License-Identifier: Apache-2.0

/// Several valid/ready streams into one, in turn. The order inside each input is kept. Only the input that is
/// granted, and valid, sees ready.
module stream_mux #(
  /// What the streams carry.
  parameter type T = logic,
  /// Number of inputs, from 1.
  parameter int unsigned Count = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Count-1:0] valid_i,
  output logic [Count-1:0] ready_o,
  input  T                 data_i [Count],
  output logic             valid_o,
  input  logic             ready_i,
  output T                 data_o
);
  if (Count == 1) begin : gen_one
    assign valid_o = valid_i[0];
    assign ready_o[0] = ready_i && valid_i[0];
    assign data_o = data_i[0];
    logic unused;
    assign unused = clk_i & rst_ni;
  end else begin : gen_many
    logic [$clog2(Count)-1:0] index;
    logic [Count-1:0] grant;
    arbiter #(
      .Count(Count)
    ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(valid_i),
      .advance_i(ready_i),
      .grant_o  (grant),
      .index_o  (index)
    );
    assign valid_o = valid_i != '0;
    assign ready_o = ready_i ? grant : '0;
    assign data_o  = data_i[index];
  end
endmodule
