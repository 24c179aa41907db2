// SPDX-License-Identifier: Apache-2.0

/// The host's registers: identity, control, status, and the window through which it reads the counters.
///
/// The map is rtl/config/weft.rdl; the block `weft_registers` is generated from it. One access at a time: the
/// host holds `host_valid_i` with address and data until `host_ready_o`, in which cycle `host_rdata_o` is
/// valid. Addresses without a register read as 0; writes there do nothing.
module host_regs
  import weft_pkg::*;
#(
  /// Frequency of the fabric's clock in Hz, as the host reads it; 0 for simulation.
  parameter int unsigned ClockHz = 0
) (
  /// Fabric time: `clk_host_i`, gated; the edges coincide.
  input  logic             clk_i,
  input  logic             clk_host_i,
  /// Of the whole design; the fabric's own reset is `fabric_rst_no`.
  input  logic             rst_ni,

  input  logic             host_valid_i,
  input  logic             host_write_i,
  input  logic      [23:0] host_address_i,
  input  logic      [31:0] host_wdata_i,
  output logic             host_ready_o,
  output logic      [31:0] host_rdata_o,

  /// Low while the design is in reset or the host holds the fabric in reset, a host cycle later.
  output logic             fabric_rst_no,
  /// What the register before that takes, high for a reset: for registers that are copies of it.
  output logic             fabric_reset_o,
  /// Changes only while the fabric is in reset.
  output protocol_e        protocol_o,
  /// Likewise.
  output egress_settings_t egress_o,
  output lease_settings_t  leases_o,
  output fault_e           fault_o,
  /// Stays until the host has seen `flush_done_i`.
  output logic             flush_o,
  /// The remote write queues send all they hold.
  output logic             drain_o,
  /// One host cycle.
  output logic             snapshot_o,
  input  logic [Nodes-1:0] snapshot_busy_i,

  /// The walks after reset are done.
  input  logic             ready_i,
  input  logic             idle_i,
  input  logic             flush_done_i,
  /// Links that were given up: from the nodes, then to them.
  input  logic [2*Nodes-1:0] links_down_i,
  /// A compute unit got an answer in this fabric cycle.
  input  logic             answer_i,
  input  logic      [63:0] cycle_i,

  /// Reads of a node's counters: held until that node's `count_valid_i`.
  output logic [Nodes-1:0] count_read_o,
  output logic       [8:0] count_index_o,
  input  logic [Nodes-1:0] count_valid_i,
  input  logic      [63:0] count_data_i [Nodes]
);
  import weft_registers_pkg::*;

  weft_registers__in_t  from_fabric;
  weft_registers__out_t to_fabric;

  // ---------------------------------------------------------------- the bus
  // The block knows its own address bits only; what lies above is answered here.
  localparam int unsigned AddressWidth = 17;
  // It is asked from registers, since all it does begins with the address; its answer, which it gives at once or when the
  // counters do, goes on from one as well.
  logic busy_q, start, beyond, ask_q, beyond_q, read_ack, write_ack, ready_q, write_q;
  logic [AddressWidth-1:0] address_q;
  logic [31:0] read_data, rdata_q, wdata_q;

  assign beyond = host_address_i[23:AddressWidth] != '0;
  assign start  = host_valid_i && !busy_q;

  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      ask_q    <= 1'b0;
      beyond_q <= 1'b0;
      ready_q  <= 1'b0;
    end else begin
      busy_q   <= (busy_q || start) && !ready_q;
      ask_q    <= start && !beyond;
      beyond_q <= start && beyond;
      ready_q  <= read_ack || write_ack || beyond_q;
    end
  end
  always_ff @(posedge clk_host_i) begin
    address_q <= host_address_i[AddressWidth-1:0];
    write_q   <= host_write_i;
    wdata_q   <= host_wdata_i;
    rdata_q   <= beyond_q ? '0 : read_data;
  end

  assign host_ready_o = ready_q;
  assign host_rdata_o = rdata_q;

  logic stall_write, stall_read, read_error, write_error, unused;
  // With one access at a time the block never stalls, and it is built without errors.
  assign unused = ^{stall_write, stall_read, read_error, write_error};

  weft_registers i_registers (
    .clk(clk_host_i),
    .rst_n(rst_ni),
    .s_cpuif_req(ask_q),
    .s_cpuif_req_is_wr(write_q),
    .s_cpuif_addr(address_q),
    .s_cpuif_wr_data(wdata_q),
    .s_cpuif_wr_biten('1),
    .s_cpuif_req_stall_wr(stall_write),
    .s_cpuif_req_stall_rd(stall_read),
    .s_cpuif_rd_ack(read_ack),
    .s_cpuif_rd_err(read_error),
    .s_cpuif_rd_data(read_data),
    .s_cpuif_wr_ack(write_ack),
    .s_cpuif_wr_err(write_error),
    .hwif_in(from_fabric),
    .hwif_out(to_fabric)
  );

  // ---------------------------------------------------------------- control
  // Registers, since it goes everywhere.
  assign fabric_reset_o = !rst_ni || to_fabric.control.fabric_reset.hold.value;
  always_ff @(posedge clk_host_i) fabric_rst_no <= !fabric_reset_o;
  assign fault_o       = (Faults != 0) ? fault_e'(to_fabric.control.fault.value.value) : FaultNone;
  assign leases_o      = '{
      read: to_fabric.control.leases.read.value,
      write: to_fabric.control.leases.write.value
  };
  assign flush_o       = to_fabric.control.flush.value.value;
  assign drain_o       = to_fabric.control.drain.value.value;
  assign snapshot_o    = to_fabric.control.snapshot.take.value;

  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) begin
      protocol_o <= ProtocolBaseline;
      egress_o   <= '0;
    end else if (!fabric_rst_no) begin
      protocol_o          <= protocol_e'(to_fabric.control.protocol.value.value);
      egress_o.finepack   <= to_fabric.control.egress.finepack.value && EgressFinepack != 0;
      egress_o.prefix     <= to_fabric.control.egress.prefix.value;
      egress_o.sub_header <= to_fabric.control.egress.sub_header.value;
      egress_o.payload    <= 13'd1 << to_fabric.control.egress.payload_log2.value;
      egress_o.timeout    <= to_fabric.control.egress.timeout.value;
    end
  end

  // ---------------------------------------------------------------- status
  // All of the fabric says it together, so it is known late, and comes from everywhere; nobody asks in the same cycle.
  logic ready_seen_q, idle_seen_q, flush_seen_q;
  logic [2*Nodes-1:0] links_down_q;
  logic [63:0] cycle_q;
  always_ff @(posedge clk_host_i) begin
    ready_seen_q <= ready_i;
    idle_seen_q  <= idle_i;
    flush_seen_q <= flush_done_i;
    links_down_q <= links_down_i;
    cycle_q      <= cycle_i;
  end

  // Fabric cycles since something was answered, while something waits.
  logic [31:0] quiet_q, patience, cycle_high_q;

  assign patience = to_fabric.control.patience.cycles.value;

  always_ff @(posedge clk_i) begin
    if (!fabric_rst_no || answer_i || idle_seen_q) quiet_q <= '0;
    else if (quiet_q != '1) quiet_q <= quiet_q + 32'd1;
  end

  // The upper word of the cycle stands still between the reads of the lower and the upper one.
  always_ff @(posedge clk_host_i) begin
    if (to_fabric.status.cycle_low.value.swacc) cycle_high_q <= cycle_q[63:32];
  end

  // ---------------------------------------------------------------- window of the counters
  // What the counters give is kept for a cycle: it comes from their block RAMs.
  logic window_q, window_write_q, window_done, done_q, node_exists;
  logic [15:0] window_address_q;
  logic [63:0] count;
  logic [31:0] word_q;
  logic [3:0] node;

  assign node          = window_address_q[15:12];
  assign count_index_o = window_address_q[11:3];
  assign node_exists   = {28'd0, node} < Nodes;

  always_comb begin
    count_read_o = '0;
    count        = '0;
    window_done  = window_write_q || !node_exists;
    for (int unsigned n = 0; n < Nodes; n++) begin
      if (node == 4'(n)) begin
        count_read_o[n] = window_q && !window_write_q && !done_q;
        count           = count_data_i[n];
        window_done |= count_valid_i[n];
      end
    end
  end

  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) begin
      window_q <= 1'b0;
      done_q   <= 1'b0;
    end else if (to_fabric.counters.req) begin
      done_q           <= 1'b0;
      window_q         <= 1'b1;
      window_write_q   <= to_fabric.counters.req_is_wr;
      window_address_q <= to_fabric.counters.addr;
    end else begin
      done_q <= window_q && !done_q && window_done;
      if (done_q) window_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_host_i) word_q <= window_address_q[2] ? count[63:32] : count[31:0];

  logic unused_write;
  // Counters cannot be written; addresses are those of words.
  assign unused_write = ^{to_fabric.counters.wr_data, to_fabric.counters.wr_biten, window_address_q[1:0]};

  // ---------------------------------------------------------------- what the host reads
  always_comb begin
    from_fabric = '{default: '0};
    from_fabric.identity.magic.value.next       = 32'h5446_4557;
    from_fabric.identity.abi.value.next         = 32'(Abi);
    for (int unsigned w = 0; w < 8; w++) begin
      from_fabric.identity.hash[w].value.next = Hash[32*(7-w)+:32];
    end
    from_fabric.identity.nodes.value.next       = 32'(Nodes);
    from_fabric.identity.cus.value.next         = 32'(Cus);
    from_fabric.identity.warps.value.next       = 32'(Warps);
    from_fabric.identity.line.value.next        = 32'(Line);
    from_fabric.identity.banks.value.next       = 32'(L2Banks);
    from_fabric.identity.memory_log2.value.next = 32'($clog2(MemoryBytes));
    from_fabric.identity.counters.value.next    = 32'(weft_counters_pkg::Count);
    from_fabric.identity.clock.value.next       = 32'(ClockHz);
    from_fabric.identity.faults.value.next      = 32'(Faults);
    from_fabric.status.flags.ready.next         = ready_seen_q;
    from_fabric.status.flags.idle.next          = idle_seen_q;
    from_fabric.status.flags.flush_done.next    = flush_seen_q;
    from_fabric.status.flags.snapshot_busy.next = snapshot_o || snapshot_busy_i != '0;
    from_fabric.status.flags.stuck.next         = patience != '0 && quiet_q >= patience;
    from_fabric.status.links_down.up.next       = 16'(links_down_q[Nodes-1:0]);
    from_fabric.status.links_down.down.next     = 16'(links_down_q[2*Nodes-1:Nodes]);
    from_fabric.status.cycle_low.value.next     = cycle_q[31:0];
    from_fabric.status.cycle_high.value.next    = cycle_high_q;
    from_fabric.counters.rd_ack  = done_q && !window_write_q;
    from_fabric.counters.wr_ack  = done_q && window_write_q;
    from_fabric.counters.rd_data = word_q;
  end
endmodule
