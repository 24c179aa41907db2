// SPDX-License-Identifier: Apache-2.0

/// Packetizer followed by de-packetizer is the identity: of two blocks whose first `Bytes` bytes are enabled as the
/// solver likes, every enabled byte arrives once, at its address and unchanged, and no other byte does.
///
/// In the queue's place stand blocks that the solver chooses; `where_q` is the byte that is followed.
module finepack_props
  import weft_pkg::*;
  import finepack_pkg::*;
#(
  /// Bytes of each block that may be enabled.
  parameter int unsigned Bytes = 3,
  /// Bytes of a sub-header.
  parameter int unsigned SubHeader = 5,
  /// Cycles after which all of it has arrived, whatever the solver chooses.
  parameter int unsigned Cycles = 20,
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0
) (
  input logic                         clk_i,
  input logic [1:0][      Bytes-1:0]  enables_i,
  input logic [1:0][OffsetBits-1:BlockBits] tag_i,
  input logic [1:0][    8*Bytes-1:0]  data_i,
  input logic                  [35:0] where_i
);
  localparam logic [3:0] Home = 4'd1;
  localparam sub_header_t B = 3'(SubHeader);

  // ---------------------------------------------------------------- what the solver chooses once
  logic [1:0][Bytes-1:0] enables_q;
  logic [1:0][OffsetBits-1:BlockBits] tag_q;
  logic [1:0][8*Bytes-1:0] data_q;
  logic [35:0] where_q;
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni) begin
      enables_q <= enables_i;
      tag_q     <= tag_i;
      data_q    <= data_i;
      where_q   <= where_i;
    end
  end
  always_comb begin
    if (!rst_ni) begin
      assume (enables_i[0] != '0 && tag_i[0] != tag_i[1]);
      for (int unsigned k = 0; k < 2; k++) begin
        assume ({tag_i[k], 7'd0} < 36'(MemoryBytes));
        assume (({tag_i[k], 7'd0} & ~window_mask(B)) == '0);
      end
    end
  end

  // ---------------------------------------------------------------- the units
  work_t work;
  logic sent_q, work_ready, wire_valid, wire_ready, out_valid, packetizer_idle, far_idle, dropped;
  logic [Lanes-1:0] read;
  row_t row[Lanes];
  enables_t enables[Lanes];
  tag_t tag[Lanes];
  block_t block[Lanes];
  req_t message, out;

  always_comb begin
    work = '0;
    work.flush = 1'b1;
    work.dst = Home;
    work.base = {Home, 36'd0};
    work.sub_header = B;
    work.used = (enables_q[1] == '0) ? 7'd1 : 7'd2;
    work.payload = 13'(encoded(128'(enables_q[0]), B)) + 13'(encoded(128'(enables_q[1]), B));
    work.runs = 11'(runs_of(128'(enables_q[0]))) + 11'(runs_of(128'(enables_q[1])));
    for (int unsigned l = 0; l < Lanes; l++) begin
      enables[l] = 128'(enables_q[l]);
      tag[l]     = tag_q[l];
      block[l]   = 1024'(data_q[l]);
    end
  end

  packetizer i_packetizer (
    .clk_i,
    .rst_ni,
    .self_i       (4'd0),
    .fault_i      (6'(Fault)),
    .work_valid_i (!sent_q),
    .work_ready_o (work_ready),
    .work_i       (work),
    .message_i    ('0),
    .read_o       (read),
    .row_o        (row),
    .enables_i    (enables),
    .tag_i        (tag),
    .block_i      (block),
    .drained_o    (),
    .drained_set_o(),
    .req_valid_o  (wire_valid),
    .req_ready_i  (wire_ready),
    .req_o        (message),
    .runs_o       (),
    .idle_o       (packetizer_idle)
  );

  depacketizer #(
    .Payload(128)
  ) i_depacketizer (
    .clk_i,
    .rst_ni,
    .self_i      (Home),
    .fault_i     (6'(Fault)),
    .sub_header_i(B),
    .req_valid_i (wire_valid),
    .req_ready_o (wire_ready),
    .req_i       (message),
    .out_valid_o (out_valid),
    .out_ready_i (1'b1),
    .out_o       (out),
    .store_o     (),
    .bytes_o     (),
    .whole_o     (),
    .dropped_o   (dropped),
    .idle_o      (far_idle)
  );

  // ---------------------------------------------------------------- the byte that is followed
  logic due, comes, arrived_q, over;
  logic [5:0] cycle_q;
  logic [7:0] wanted, found;
  always_comb begin
    due    = 1'b0;
    wanted = '0;
    for (int unsigned k = 0; k < 2; k++) begin
      for (int unsigned i = 0; i < Bytes; i++) begin
        if (enables_q[k][i] && where_q == {tag_q[k], 7'(i)}) begin
          due    = 1'b1;
          wanted = data_q[k][8*i+:8];
        end
      end
    end
    comes = 1'b0;
    found = '0;
    for (int unsigned i = 0; i < Line; i++) begin
      if (out_valid && out.mask[i] && out.address + 40'(i) == {Home, where_q}) begin
        comes = 1'b1;
        found = out.data[8*i+:8];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q    <= 1'b0;
      arrived_q <= 1'b0;
      cycle_q   <= '0;
    end else begin
      sent_q    <= sent_q || work_ready;
      arrived_q <= arrived_q || comes;
      cycle_q   <= cycle_q + 6'd1;
    end
  end

  assign over = sent_q && packetizer_idle && far_idle;
  always_comb begin
    if (rst_ni) begin
      nothing_of_its_own : assert (!comes || due);
      byte_unchanged : assert (!comes || found == wanted);
      byte_once : assert (!comes || !arrived_q);
      never_malformed : assert (!dropped);
      only_stores : assert (!out_valid || out.kind == ReqKindWrite);
      every_byte_arrives : assert (!over || arrived_q == due);
      over_in_time : assert (over || cycle_q < 6'(Cycles));
    end
  end
endmodule
