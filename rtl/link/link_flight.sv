// SPDX-License-Identifier: Apache-2.0

/// What goes in comes out `Latency` cycles later.
///
/// Beyond a few cycles this is no shift register but a ring of places, of which one is read and written per cycle.
module link_flight #(
  parameter type T = logic,
  /// Cycles, from 0.
  parameter int unsigned Latency = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// 0: there is nothing, and the data may come out as 0.
  input  logic valid_i,
  input  T     data_i,
  /// 0 if what went in then is from before the reset.
  output T     data_o
);
  // Up to here flip-flops are the smaller.
  localparam int unsigned ShiftMost = 4;
  if (Latency == 0) begin : gen_at_once
    logic unused;
    assign unused = ^{clk_i, rst_ni, valid_i};
    assign data_o = data_i;
  end else if (Latency <= ShiftMost) begin : gen_shift
    T data_q[Latency];
    logic unused;

    assign unused = valid_i;
    assign data_o = data_q[Latency-1];

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Latency; i++) begin
        data_q[i] <= !rst_ni ? '0 : (i == 0) ? data_i : data_q[(i+Latency-1)%Latency];
      end
    end
  end else begin : gen_ring
    localparam int unsigned IndexWidth = $clog2(Latency);
    logic [IndexWidth-1:0] place_q;
    logic [Latency-1:0] valid_q;
    T data_q[Latency];

    assign data_o = valid_q[place_q] ? data_q[place_q] : '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        place_q <= '0;
        valid_q <= '0;
      end else begin
        place_q <= (32'(place_q) == Latency - 1) ? '0 : place_q + 1'b1;
        valid_q[place_q] <= valid_i;
      end
    end
    // Without reset, so that it may become distributed RAM.
    always_ff @(posedge clk_i) if (valid_i) data_q[place_q] <= data_i;
  end
endmodule
