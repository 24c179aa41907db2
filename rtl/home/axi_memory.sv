// SPDX-License-Identifier: Apache-2.0

/// The memory behind one home bank when it is not on the chip: towards the home what `memory` is, towards the
/// memory an AXI4 manager. A line is one burst of INCR beats, or a part of one beat if the bus is wider.
///
/// AXI keeps no order between its read and its write channels. Therefore a read waits while a write of its
/// line has not been answered, and a write while a read of its line has not; all else is under way at once.
/// Reads have one ID and so have writes, hence both are answered in order. There is room for the answers of all
/// reads that the home can have in flight: R and B are always taken, and `req_ready_o` never depends on whether
/// the home takes its answers. An error response gives a line of zeros, is counted, and hangs nothing.
module axi_memory
  import weft_pkg::*;
#(
  /// Width of the data channels in bits: 32, 64, 128, 256 or 512.
  parameter int unsigned DataWidth = 64,
  /// Width of the addresses, at least that of an offset in the node's memory.
  parameter int unsigned AddressWidth = 40,
  /// Width of the IDs, from 1.
  parameter int unsigned IdWidth = 1,
  /// The ID of all reads and of all writes.
  parameter logic [IdWidth-1:0] Id = '0,
  /// Reads that the home can have in flight: answers that have room. Not less than `home.fetches`.
  parameter int unsigned Reads = HomeFetches,
  /// Reads on the bus at once, from 1 to Reads. Fewer beats than the memory's latency is long are legal, but
  /// leave gaps between the beats.
  parameter int unsigned BusReads = Reads,
  /// Writes on the bus at once, and lines that wait for it, from 1. The same is true of them.
  parameter int unsigned BusWrites = 4
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  fault_e   fault_i,
  /// Where this node's memory begins, a multiple of its size. Constant after reset.
  input  logic [AddressWidth-1:0] base_i,

  input  logic     req_valid_i,
  output logic     req_ready_o,
  input  mem_req_t req_i,
  output logic     rsp_valid_o,
  input  logic     rsp_ready_i,
  output mem_rsp_t rsp_o,

  /// Nothing is under way: all writes have been answered, all answers taken.
  output logic        idle_o,
  /// Lines whose read or write ended in SLVERR or DECERR; both stand still at their largest value.
  output logic [15:0] read_errors_o,
  output logic [15:0] write_errors_o,
  /// Offset of the last such line.
  output logic [35:0] error_offset_o,

  output logic [     IdWidth-1:0] axi_awid_o,
  output logic [AddressWidth-1:0] axi_awaddr_o,
  output logic [             7:0] axi_awlen_o,
  output logic [             2:0] axi_awsize_o,
  output logic [             1:0] axi_awburst_o,
  output logic                    axi_awlock_o,
  output logic [             3:0] axi_awcache_o,
  output logic [             2:0] axi_awprot_o,
  output logic                    axi_awvalid_o,
  input  logic                    axi_awready_i,
  output logic [   DataWidth-1:0] axi_wdata_o,
  output logic [ DataWidth/8-1:0] axi_wstrb_o,
  output logic                    axi_wlast_o,
  output logic                    axi_wvalid_o,
  input  logic                    axi_wready_i,
  input  logic [     IdWidth-1:0] axi_bid_i,
  input  logic [             1:0] axi_bresp_i,
  input  logic                    axi_bvalid_i,
  output logic                    axi_bready_o,
  output logic [     IdWidth-1:0] axi_arid_o,
  output logic [AddressWidth-1:0] axi_araddr_o,
  output logic [             7:0] axi_arlen_o,
  output logic [             2:0] axi_arsize_o,
  output logic [             1:0] axi_arburst_o,
  output logic                    axi_arlock_o,
  output logic [             3:0] axi_arcache_o,
  output logic [             2:0] axi_arprot_o,
  output logic                    axi_arvalid_o,
  input  logic                    axi_arready_i,
  input  logic [     IdWidth-1:0] axi_rid_i,
  input  logic [   DataWidth-1:0] axi_rdata_i,
  input  logic [             1:0] axi_rresp_i,
  input  logic                    axi_rlast_i,
  input  logic                    axi_rvalid_i,
  output logic                    axi_rready_o
);
  localparam int unsigned BusBytes = DataWidth / 8;
  localparam int unsigned Beats = (Line > BusBytes) ? Line / BusBytes : 1;
  // Lines that share a beat when the bus is wider.
  localparam int unsigned Lanes = (BusBytes > Line) ? BusBytes / Line : 1;
  localparam int unsigned LaneBits = (Lanes > 1) ? $clog2(Lanes) : 1;
  localparam int unsigned BeatBits = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned LineBits = $clog2(Line);
  localparam int unsigned OffsetBits = $clog2(MemoryBytes);
  localparam int unsigned LineNoBits = OffsetBits - LineBits;
  localparam logic [2:0] Size = 3'($clog2((Beats > 1) ? BusBytes : Line));
  localparam logic [1:0] Incr = 2'b01;
  // Normal memory, not cached on the way, and a write may be answered before it is in the DRAM.
  localparam logic [3:0] Cache = 4'b0011;
  typedef logic [LineNoBits-1:0] line_no_t;
  typedef logic [BeatBits-1:0] beat_t;
  typedef logic [LaneBits-1:0] lane_t;
  typedef logic [AddressWidth-1:0] address_t;
  typedef struct packed {
    lane_t lane;
    line_t data;
  } write_t;

  // ---------------------------------------------------------------- what may leave
  line_no_t number, oldest_read, oldest_write;
  lane_t lane, r_lane;
  write_t w_in, w_out;
  logic read_match, write_match, reads_full, writes_full, reads_empty, writes_empty;
  logic take_read, take_write, read_done, write_done, unused;

  assign number      = req_i.address[OffsetBits-1:LineBits];
  assign req_ready_o = req_i.write ? !writes_full && !read_match : !reads_full && !write_match;
  assign take_read   = req_valid_i && req_ready_o && !req_i.write;
  assign take_write  = req_valid_i && req_ready_o && req_i.write;
  // The node's number, what lies above the memory, and the byte in the line are not needed; nor is the lane of
  // a line that fills the bus, nor which of the two errors a response is.
  assign unused = ^{req_i.address[39:OffsetBits], req_i.address[LineBits-1:0], w_out.lane, r_lane,
                    axi_bresp_i[0], axi_rresp_i[0]};

  if (Lanes > 1) begin : gen_lanes
    assign lane   = number[LaneBits-1:0];
    assign r_lane = oldest_read[LaneBits-1:0];
  end else begin : gen_one_lane
    assign lane   = '0;
    assign r_lane = '0;
  end

  axi_pending #(
    .Entries(BusReads),
    .Width(LineNoBits)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .line_i  (number),
    .match_o (read_match),
    .push_i  (take_read),
    .full_o  (reads_full),
    .pop_i   (read_done),
    .empty_o (reads_empty),
    .oldest_o(oldest_read)
  );
  axi_pending #(
    .Entries(BusWrites),
    .Width(LineNoBits)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .line_i  (number),
    .match_o (write_match),
    .push_i  (take_write),
    .full_o  (writes_full),
    .pop_i   (write_done),
    .empty_o (writes_empty),
    .oldest_o(oldest_write)
  );

  // ---------------------------------------------------------------- addresses
  // As many places as may be under way: whoever has an entry above has a place here.
  line_no_t aw_number, ar_number;
  logic aw_room, ar_room;

  fifo #(
    .T(line_no_t),
    .Depth(BusWrites)
  ) u_aw (
    .clk_i,
    .rst_ni,
    .valid_i(take_write),
    .ready_o(aw_room),
    .data_i (number),
    .valid_o(axi_awvalid_o),
    .ready_i(axi_awready_i),
    .data_o (aw_number),
    .free_o ()
  );
  fifo #(
    .T(line_no_t),
    .Depth(BusReads)
  ) u_ar (
    .clk_i,
    .rst_ni,
    .valid_i(take_read),
    .ready_o(ar_room),
    .data_i (number),
    .valid_o(axi_arvalid_o),
    .ready_i(axi_arready_i),
    .data_o (ar_number),
    .free_o ()
  );

  assign axi_awid_o    = Id;
  assign axi_awaddr_o  = base_i | address_t'({aw_number, LineBits'(0)});
  assign axi_awlen_o   = 8'(Beats - 1);
  assign axi_awsize_o  = Size;
  assign axi_awburst_o = Incr;
  assign axi_awlock_o  = 1'b0;
  assign axi_awcache_o = Cache;
  assign axi_awprot_o  = '0;
  assign axi_arid_o    = Id;
  assign axi_araddr_o  = base_i | address_t'({ar_number, LineBits'(0)});
  assign axi_arlen_o   = 8'(Beats - 1);
  assign axi_arsize_o  = Size;
  assign axi_arburst_o = Incr;
  assign axi_arlock_o  = 1'b0;
  assign axi_arcache_o = Cache;
  assign axi_arprot_o  = '0;

  // ---------------------------------------------------------------- write data
  logic w_room, w_last;
  beat_t w_beat_q;

  always_comb begin
    w_in = '{lane: lane, data: req_i.data};
    if (Faults != 0 && fault_i == FaultMemoryLosesByte) w_in.data[7:0] = '0;
  end

  // Beside the addresses, not behind them: a manager must not wait for AWREADY before it offers data.
  fifo #(
    .T(write_t),
    .Depth(BusWrites)
  ) u_w (
    .clk_i,
    .rst_ni,
    .valid_i(take_write),
    .ready_o(w_room),
    .data_i (w_in),
    .valid_o(axi_wvalid_o),
    .ready_i(axi_wready_i && w_last),
    .data_o (w_out),
    .free_o ()
  );

  assign w_last      = w_beat_q == beat_t'(Beats - 1);
  assign axi_wlast_o = w_last;
  assign write_done  = axi_bvalid_i;
  assign axi_bready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) w_beat_q <= '0;
    else if (axi_wvalid_o && axi_wready_i) w_beat_q <= w_last ? '0 : w_beat_q + beat_t'(1);
  end

  if (Beats > 1) begin : gen_write_burst
    assign axi_wdata_o = w_out.data[w_beat_q*DataWidth+:DataWidth];
    assign axi_wstrb_o = '1;
  end else begin : gen_write_beat
    assign axi_wdata_o = {Lanes{w_out.data}};
    assign axi_wstrb_o = BusBytes'({Line{1'b1}}) << (w_out.lane * Line);
  end

  // ---------------------------------------------------------------- read data
  line_t r_line;
  mem_rsp_t answer;
  logic r_last, r_error, r_error_q, answers_room;
  logic [$bits(req_i.id)-1:0] r_id;
  logic id_room, id_valid;
  beat_t r_beat_q;

  fifo #(
    .T(logic [$bits(req_i.id)-1:0]),
    .Depth(BusReads)
  ) u_ids (
    .clk_i,
    .rst_ni,
    .valid_i(take_read),
    .ready_o(id_room),
    .data_i (req_i.id),
    .valid_o(id_valid),
    .ready_i(read_done),
    .data_o (r_id),
    .free_o ()
  );

  assign axi_rready_o = 1'b1;
  assign r_last       = r_beat_q == beat_t'(Beats - 1);
  assign r_error      = r_error_q || axi_rresp_i[1];
  assign read_done    = axi_rvalid_i && r_last;
  assign answer       = '{id: r_id, data: r_error ? '0 : r_line};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      r_beat_q <= '0;
      r_error_q <= 1'b0;
    end else if (axi_rvalid_i) begin
      r_beat_q <= r_last ? '0 : r_beat_q + beat_t'(1);
      r_error_q <= r_error && !r_last;
    end
  end

  if (Beats > 1) begin : gen_read_burst
    // All but the last beat; the first ends lowest.
    logic [(Beats-1)*DataWidth-1:0] beats_q;
    always_ff @(posedge clk_i) begin
      if (axi_rvalid_i) beats_q <= $bits(beats_q)'({axi_rdata_i, beats_q} >> DataWidth);
    end
    assign r_line = {axi_rdata_i, beats_q};
  end else begin : gen_read_beat
    assign r_line = axi_rdata_i[r_lane*Line*8+:Line*8];
  end

  fifo #(
    .T(mem_rsp_t),
    .Depth(Reads)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .valid_i(read_done),
    .ready_o(answers_room),
    .data_i (answer),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o (rsp_o),
    .free_o ()
  );

  assign idle_o = reads_empty && writes_empty && !rsp_valid_o;

  // ---------------------------------------------------------------- errors
  logic read_failed, write_failed;
  assign read_failed  = read_done && r_error;
  assign write_failed = write_done && axi_bresp_i[1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_errors_o <= '0;
      write_errors_o <= '0;
      error_offset_o <= '0;
    end else begin
      if (read_failed && !(&read_errors_o)) read_errors_o <= read_errors_o + 16'd1;
      if (write_failed && !(&write_errors_o)) write_errors_o <= write_errors_o + 16'd1;
      if (read_failed) error_offset_o <= 36'({oldest_read, LineBits'(0)});
      else if (write_failed) error_offset_o <= 36'({oldest_write, LineBits'(0)});
    end
  end

  always_ff @(posedge clk_i) begin : checks
    if (rst_ni) begin
      assert (!take_write || (aw_room && w_room))
      else $error("axi_memory: no place for a write");
      assert (!take_read || (ar_room && id_room))
      else $error("axi_memory: no place for a read");
      assert (!read_done || (answers_room && id_valid))
      else $error("axi_memory: no room for an answer");
      assert (!axi_rvalid_i || (axi_rlast_i == r_last && axi_rid_i == Id))
      else $error("axi_memory: R is not what was asked for");
      assert (!axi_bvalid_i || axi_bid_i == Id)
      else $error("axi_memory: B is not what was asked for");
      assert (base_i[OffsetBits-1:0] == '0)
      else $error("axi_memory: base_i must be a multiple of the memory's size");
    end
  end

  if (!(DataWidth inside {32, 64, 128, 256, 512})) begin : gen_check_width
    $error("axi_memory: DataWidth must be 32, 64, 128, 256 or 512");
  end
  if (AddressWidth < OffsetBits || AddressWidth > 64) begin : gen_check_address
    $error("axi_memory: AddressWidth must be from that of an offset to 64");
  end
  if (Reads < HomeFetches || BusReads < 1 || BusReads > Reads || BusWrites < 1) begin : gen_check_depths
    $error("axi_memory: Reads must be at least home.fetches, BusReads from 1 to Reads, BusWrites from 1");
  end
endmodule
