// SPDX-License-Identifier: Apache-2.0

/// What a home knows of copies elsewhere: the one place where an organisation is chosen. Asked in step with the
/// L2: the line in stage A, the request in stage B, where the answer stands in its last cycle: which nodes get an
/// INV of which line, or under leases the time stamps of the answer. There is the directory, for every protocol whose
/// tracker it is, and which policy it follows is chosen inside it; and the timestamp storage unit, where it is built in.
module tracker
  import weft_pkg::*;
  import l2_pkg::*;
#(
  /// Number of this bank.
  parameter int unsigned Bank = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] self_i,
  /// Steady; changed in reset only.
  input  protocol_e  protocol_i,
  input  fault_e     fault_i,
  output logic       ready_o,

  /// Stage A.
  input  logic       lookup_i,
  input  bankline_t  line_i,
  /// Stage B: a home step for that line, by node requester_i. Nothing is asked of a protocol without tracker.
  input  logic       home_step_i,
  input  req_kind_e  kind_i,
  input  logic [3:0] requester_i,
  /// Leases: the read takes none; the atomic has failed; the time that the request carries; the answer's stamps, and the line's wts
  /// before; the last tick that any answer had; time starts again. All times are 0 without a timestamp storage unit.
  input  lease_settings_t leases_i,
  input  logic            peeks_i,
  input  logic            failed_i,
  input  logic [15:0]     cts_i,
  output logic [15:0]     wts_o,
  output logic [15:0]     rts_o,
  output logic [15:0]     was_o,
  output logic [15:0]     largest_o,
  input  logic            rebase_i,
  /// The step owes an INV to these nodes: one item of the forward queue.
  output logic        owes_o,
  output logic [15:0] nodes_o,
  output cause_e      cause_o,
  output logic [39:0] address_o,
  /// The INV is of a block of lines; or of several lines, each with sharers of its own.
  output logic        block_o,
  output logic        spread_o,
  output logic [EntryOwed-1:0][Sharers-1:0] lines_o,

  output dir_event_t event_o,
  output dir_count_t count_o
);
  logic step, hit, allocated, evicted, directory_ready, tsu_ready;
  dir_event_t dir_event;
  logic [7:0] evicted_lines;
  logic [10:0] owed;
  dir_op_e op;
  always_comb begin
    unique case (kind_i)
      ReqKindWrite:  op = DirOpWrite;
      ReqKindAtomic: op = DirOpAtomic;
      default:       op = DirOpRead;
    endcase
  end

  assign step = home_step_i && tracker_of(protocol_i) == TrackerDirectory;
  assign owes_o = step && nodes_o != '0;

  directory #(
    .Nodes    (Nodes),
    .Entries  (DirectoryEntries / L2Banks),
    .Ways     (DirectoryWays),
    .LineWidth(BankLineBits),
    .Line     (Line),
    .Banks    (L2Banks),
    .Range    (DirectoryRange),
    .Refresh  (DirectoryRefresh),
    .Stages   ((L2Interval > 1) ? L2Interval - 1 : 1)
  ) u_directory (
    .clk_i,
    .rst_ni,
    .self_i,
    .bank_i        (3'(Bank)),
    .protocol_i,
    .fault_i       (fault_i),
    .ready_o       (directory_ready),
    .lookup_i,
    .line_i,
    .step_i        (step),
    .op_i          (op),
    .local_i       (requester_i == self_i),
    .requester_i,
    .hit_o         (hit),
    .allocated_o   (allocated),
    .evicted_o     (evicted),
    /* verilator lint_off PINCONNECTEMPTY */
    .way_o         (),
    .evicted_line_o(),
    .sharers_o     (),
    .inv_sharers_o (),
    /* verilator lint_on PINCONNECTEMPTY */
    .lines_o       (evicted_lines),
    .invs_o        (owed),
    .inv_block_o   (block_o),
    .inv_spread_o  (spread_o),
    .inv_lines_o   (lines_o),
    .inv_nodes_o   (nodes_o),
    .inv_cause_o   (cause_o),
    .inv_address_o (address_o),
    .event_o       (dir_event)
  );

  // ---------------------------------------------------------------- leases
  tsu_event_t tsu_event;
  tsu_count_t tsu_count;
  if (BuiltLeases) begin : gen_tsu
    logic timed, leased, beyond;
    logic [2:0][15:0] times;
    tsu_op_e tsu_op;
    logic fails;
    assign timed  = tracker_of(protocol_i) == TrackerTsu;
    assign leased = home_step_i && timed;
    assign fails  = failed_i || (Faults != 0 && fault_i == FaultLeaseAtomicsFail && kind_i == ReqKindAtomic);
    assign {was_o, rts_o, wts_o} = timed ? times : '0;
    assign tsu_op = ((kind_i == ReqKindRead) ? peeks_i : fails) ? TsuOpPeek :
                    (kind_i == ReqKindRead) ? TsuOpRead : TsuOpWrite;
    tsu #(
      .Bank(Bank)
    ) u_tsu (
      .clk_i,
      .rst_ni,
      .self_i,
      .leases_i,
      .fault_i,
      .ready_o  (tsu_ready),
      .rebase_i,
      .lookup_i,
      .line_i,
      .step_i   (leased),
      .op_i     (tsu_op),
      .causal_i (lease_causal(protocol_i)),
      .renews_i (lease_renews(protocol_i)),
      .cts_i,
      .wants_rebase_o(beyond),
      .largest_o,
      .wts_o    (times[0]),
      .rts_o    (times[1]),
      .was_o    (times[2]),
      .event_o  (tsu_event),
      .count_o  (tsu_count)
    );
    // Stage A has kept back what the fields do not hold (l2_admit).
    always_ff @(posedge clk_i) begin : checks
      if (rst_ni && fault_i == FaultNone) begin
        assert (!(leased && beyond))
        else $error("tracker: a home step whose times do not fit");
      end
    end
  end else begin : gen_no_tsu
    assign tsu_ready = 1'b1;
    assign wts_o     = '0;
    assign rts_o     = '0;
    assign was_o     = '0;
    assign largest_o = '0;
    assign tsu_event = '0;
    assign tsu_count = '0;
    logic unused;
    assign unused = ^{leases_i, peeks_i, failed_i, cts_i, rebase_i};
  end

  assign ready_o = directory_ready && tsu_ready;
  always_comb begin : event_of_either
    event_o = dir_event;
    event_o.tsu = tsu_event;
    if (tsu_event.valid) begin
      event_o.valid = 1'b1;
      event_o.seq = tsu_event.seq;
    end
  end

  // Of a histogram in powers of two: 1, 2, 3 to 4, 5 to 8 lines and so on.
  function automatic logic [7:0] octave(logic [7:0] lines);
    octave = '0;
    for (int unsigned i = 0; i < 8; i++)
    octave[i] = 32'(lines) <= (1 << i) && (i == 0 || 32'(lines) > (1 << (i - 1)));
  endfunction

  always_comb begin : counts
    count_o = '0;
    count_o.tsu_lookups = tsu_count.lookups;
    count_o.tsu_hits = tsu_count.hits;
    count_o.tsu_misses = tsu_count.misses;
    count_o.tsu_evictions = tsu_count.evictions;
    count_o.tsu_reentries = tsu_count.reentries;
    count_o.tsu_late = tsu_count.late;
    if (step) begin
      count_o.lookups = 1'b1;
      count_o.hits = hit;
      count_o.allocations = allocated;
      count_o.evictions = evicted;
      if (cause_o == CauseWrite) count_o.inv_write = 4'(owed);
      else count_o.inv_evict = owed;
      count_o.evicted_lines = evicted_lines;
      if (evicted) begin
        {count_o.evicted_128, count_o.evicted_64, count_o.evicted_32, count_o.evicted_16,
         count_o.evicted_8, count_o.evicted_4, count_o.evicted_2, count_o.evicted_1} = octave(evicted_lines);
      end
    end
  end
endmodule
