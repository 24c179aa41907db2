// SPDX-License-Identifier: Apache-2.0

/// What one node adds to each of its counters in this cycle: the units' reports, put at the numbers that
/// rtl/config/weft.rdl gives them. Banks are summed.
module node_counts
  import weft_pkg::*;
  import weft_counters_pkg::*;
(
  input  l1_count_t   l1_i  [Cus],
  input  l2_count_t   l2_i  [L2Banks],
  input  dir_count_t  dir_i [L2Banks],
  /// The node's sending link, and the switch's link towards the node.
  input  link_event_t up_i,
  input  logic        up_busy_i,
  input  link_event_t down_i,
  output increments_t increments_o
);
  logic unused;
  assign unused = ^{up_i.seq, up_i.kind, up_i.src, up_i.dst,
                    down_i.seq, down_i.class_, down_i.kind, down_i.src, down_i.dst};

  always_comb begin
    increments_o = '0;
    foreach (l2_i[b]) begin
      increments_o[CounterL2Reads] += 8'(l2_i[b].reads);
      increments_o[CounterL2Writes] += 8'(l2_i[b].writes);
      increments_o[CounterL2Atomics] += 8'(l2_i[b].atomics);
      increments_o[CounterL2Fences] += 8'(l2_i[b].fences);
      increments_o[CounterL2Hits] += 8'(l2_i[b].hits);
      increments_o[CounterL2Misses] += 8'(l2_i[b].misses);
      increments_o[CounterL2Joins] += 8'(l2_i[b].joins);
      increments_o[CounterL2Installs] += 8'(l2_i[b].installs);
      increments_o[CounterL2Closed] += 8'(l2_i[b].closed);
      increments_o[CounterL2Writebacks] += 8'(l2_i[b].writebacks);
      increments_o[CounterL2InvHitWrite] += 8'(l2_i[b].inv_hit_write);
      increments_o[CounterL2InvHitEvict] += 8'(l2_i[b].inv_hit_evict);
      increments_o[CounterL2InvMiss] += 8'(l2_i[b].inv_miss);
      increments_o[CounterL2Stalls] += 8'(l2_i[b].stalls);
      increments_o[CounterHomeLocal] += 8'(l2_i[b].home_local);
      increments_o[CounterHomeRemote] += 8'(l2_i[b].home_remote);
      increments_o[CounterHomeHits] += 8'(l2_i[b].home_hits);
      increments_o[CounterHomeFetches] += 8'(l2_i[b].home_fetches);
      increments_o[CounterHomeJoins] += 8'(l2_i[b].home_joins);
      increments_o[CounterHomeMarkers] += 8'(l2_i[b].home_markers);
      increments_o[CounterHomeMarks] += 8'(l2_i[b].home_marks);
      increments_o[CounterHomeSkips] += 8'(l2_i[b].home_skips);
      increments_o[CounterReleaseStarted] += 8'(l2_i[b].release_started);
      increments_o[CounterReleaseAcks] += 8'(l2_i[b].release_acks);
      increments_o[CounterMemoryReads] += 8'(l2_i[b].memory_reads);
      increments_o[CounterMemoryWrites] += 8'(l2_i[b].memory_writes);
      increments_o[CounterDirectoryLookups] += 8'(dir_i[b].lookups);
      increments_o[CounterDirectoryHits] += 8'(dir_i[b].hits);
      increments_o[CounterDirectoryAllocations] += 8'(dir_i[b].allocations);
      increments_o[CounterDirectoryEvictions] += 8'(dir_i[b].evictions);
      increments_o[CounterDirectoryInvWrite] += 8'(dir_i[b].inv_write);
      increments_o[CounterDirectoryInvEvict] += 8'(dir_i[b].inv_evict);
    end
    if (up_i.valid) begin
      increments_o[CounterLinkMessagesRequest+32'(up_i.class_)] = 8'd1;
      increments_o[CounterLinkBytesRequest+32'(up_i.class_)] = up_i.bytes;
    end
    increments_o[CounterLinkBusy] = 8'(up_busy_i);
    if (down_i.valid) begin
      increments_o[CounterSwitchMessages] = 8'd1;
      increments_o[CounterSwitchBytes] = down_i.bytes;
    end
    increments_o[CounterTimeCycles] = 8'd1;
    foreach (l1_i[k]) begin
      increments_o[counter_of_cu(k, CounterL1Loads)] = 8'(l1_i[k].loads);
      increments_o[counter_of_cu(k, CounterL1Stores)] = 8'(l1_i[k].stores);
      increments_o[counter_of_cu(k, CounterL1Atomics)] = 8'(l1_i[k].atomics);
      increments_o[counter_of_cu(k, CounterL1Fences)] = 8'(l1_i[k].fences);
      increments_o[counter_of_cu(k, CounterL1Hits)] = 8'(l1_i[k].hits);
      increments_o[counter_of_cu(k, CounterL1Misses)] = 8'(l1_i[k].misses);
      increments_o[counter_of_cu(k, CounterL1Joins)] = 8'(l1_i[k].joins);
      increments_o[counter_of_cu(k, CounterL1Installs)] = 8'(l1_i[k].installs);
      increments_o[counter_of_cu(k, CounterL1Closed)] = 8'(l1_i[k].closed);
      increments_o[counter_of_cu(k, CounterL1Requests)] = 8'(l1_i[k].requests);
      increments_o[counter_of_cu(k, CounterL1Errors)] = 8'(l1_i[k].errors);
      increments_o[counter_of_cu(k, CounterL1Drops)] = 8'(l1_i[k].drops);
      increments_o[counter_of_cu(k, CounterL1Stalls)] = 8'(l1_i[k].stalls);
    end
  end
endmodule
