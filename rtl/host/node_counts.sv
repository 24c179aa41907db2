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
  input  egress_count_t  egress_i,
  input  ingress_count_t ingress_i,
  /// Leases: a rebase of the fabric begins, one is under way.
  input  logic        rebase_begins_i,
  input  logic        rebase_active_i,
  /// The node's sending link, and the switch's link towards the node.
  input  link_event_t up_i,
  input  logic        up_busy_i,
  input  link_count_t up_link_i,
  input  link_event_t down_i,
  input  link_count_t down_link_i,
  output increments_t increments_o
);
  logic unused;
  assign unused = ^{up_link_i.accepted, up_link_i.malformed, down_link_i.accepted, down_link_i.malformed,
                    up_i.seq, up_i.kind, up_i.src, up_i.dst, up_i.req, up_i.fwd, up_i.rsp,
                    down_i.seq, down_i.class_, down_i.kind, down_i.src, down_i.dst,
                    down_i.req, down_i.fwd, down_i.rsp};

  always_comb begin
    increments_o = '0;
    foreach (l2_i[b]) begin
      increments_o[CounterL2Reads] += increment_t'(l2_i[b].reads);
      increments_o[CounterL2Writes] += increment_t'(l2_i[b].writes);
      increments_o[CounterL2Atomics] += increment_t'(l2_i[b].atomics);
      increments_o[CounterL2Fences] += increment_t'(l2_i[b].fences);
      increments_o[CounterL2Hits] += increment_t'(l2_i[b].hits);
      increments_o[CounterL2Misses] += increment_t'(l2_i[b].misses);
      increments_o[CounterL2Joins] += increment_t'(l2_i[b].joins);
      increments_o[CounterL2Installs] += increment_t'(l2_i[b].installs);
      increments_o[CounterL2Closed] += increment_t'(l2_i[b].closed);
      increments_o[CounterL2Writebacks] += increment_t'(l2_i[b].writebacks);
      increments_o[CounterL2InvHitWrite] += increment_t'(l2_i[b].inv_hit_write);
      increments_o[CounterL2InvHitEvict] += increment_t'(l2_i[b].inv_hit_evict);
      increments_o[CounterL2InvMiss] += increment_t'(l2_i[b].inv_miss);
      increments_o[CounterL2Stalls] += increment_t'(l2_i[b].stalls);
      increments_o[CounterL2LeaseMisses] += increment_t'(l2_i[b].lease_misses);
      increments_o[CounterL2Expired] += increment_t'(l2_i[b].expired);
      increments_o[CounterL2StampBytes] += increment_t'(l2_i[b].stamp_bytes);
      increments_o[CounterHomeLocal] += increment_t'(l2_i[b].home_local);
      increments_o[CounterHomeRemote] += increment_t'(l2_i[b].home_remote);
      increments_o[CounterHomeHits] += increment_t'(l2_i[b].home_hits);
      increments_o[CounterHomeFetches] += increment_t'(l2_i[b].home_fetches);
      increments_o[CounterHomeJoins] += increment_t'(l2_i[b].home_joins);
      increments_o[CounterHomeMarkers] += increment_t'(l2_i[b].home_markers);
      increments_o[CounterHomeMarks] += increment_t'(l2_i[b].home_marks);
      increments_o[CounterHomeSkips] += increment_t'(l2_i[b].home_skips);
      increments_o[CounterReleaseStarted] += increment_t'(l2_i[b].release_started);
      increments_o[CounterReleaseAcks] += increment_t'(l2_i[b].release_acks);
      increments_o[CounterMemoryReads] += increment_t'(l2_i[b].memory_reads);
      increments_o[CounterMemoryWrites] += increment_t'(l2_i[b].memory_writes);
      increments_o[CounterDirectoryLookups] += increment_t'(dir_i[b].lookups);
      increments_o[CounterDirectoryHits] += increment_t'(dir_i[b].hits);
      increments_o[CounterDirectoryAllocations] += increment_t'(dir_i[b].allocations);
      increments_o[CounterDirectoryEvictions] += increment_t'(dir_i[b].evictions);
      increments_o[CounterDirectoryInvWrite] += increment_t'(dir_i[b].inv_write);
      increments_o[CounterDirectoryInvEvict] += increment_t'(dir_i[b].inv_evict);
      increments_o[CounterDirectoryEvictedLines] += increment_t'(dir_i[b].evicted_lines);
      increments_o[CounterDirectoryEvicted1] += increment_t'(dir_i[b].evicted_1);
      increments_o[CounterDirectoryEvicted2] += increment_t'(dir_i[b].evicted_2);
      increments_o[CounterDirectoryEvicted4] += increment_t'(dir_i[b].evicted_4);
      increments_o[CounterDirectoryEvicted8] += increment_t'(dir_i[b].evicted_8);
      increments_o[CounterDirectoryEvicted16] += increment_t'(dir_i[b].evicted_16);
      increments_o[CounterDirectoryEvicted32] += increment_t'(dir_i[b].evicted_32);
      increments_o[CounterDirectoryEvicted64] += increment_t'(dir_i[b].evicted_64);
      increments_o[CounterDirectoryEvicted128] += increment_t'(dir_i[b].evicted_128);
      increments_o[CounterTsuLookups] += increment_t'(dir_i[b].tsu_lookups);
      increments_o[CounterTsuHits] += increment_t'(dir_i[b].tsu_hits);
      increments_o[CounterTsuMisses] += increment_t'(dir_i[b].tsu_misses);
      increments_o[CounterTsuEvictions] += increment_t'(dir_i[b].tsu_evictions);
      increments_o[CounterTsuReentries] += increment_t'(dir_i[b].tsu_reentries);
      increments_o[CounterTsuLate] += increment_t'(dir_i[b].tsu_late);
    end
    increments_o[CounterLeaseRebases] = increment_t'(rebase_begins_i);
    increments_o[CounterLeaseRebaseCycles] = increment_t'(rebase_active_i);
    increments_o[CounterEgressStores] = increment_t'(egress_i.stores);
    increments_o[CounterEgressBytes] = increment_t'(egress_i.bytes);
    increments_o[CounterEgressMerged] = increment_t'(egress_i.merged);
    increments_o[CounterEgressHits] = increment_t'(egress_i.hits);
    increments_o[CounterEgressFlushBase] = increment_t'(egress_i.flush_base);
    increments_o[CounterEgressFlushRoom] = increment_t'(egress_i.flush_room);
    increments_o[CounterEgressFlushPayload] = increment_t'(egress_i.flush_payload);
    increments_o[CounterEgressFlushRelease] = increment_t'(egress_i.flush_release);
    increments_o[CounterEgressFlushLoad] = increment_t'(egress_i.flush_load);
    increments_o[CounterEgressFlushAtomic] = increment_t'(egress_i.flush_atomic);
    increments_o[CounterEgressFlushTimeout] = increment_t'(egress_i.flush_timeout);
    increments_o[CounterEgressFlushEnd] = increment_t'(egress_i.flush_end);
    increments_o[CounterEgressFlushStrong] = increment_t'(egress_i.flush_strong);
    increments_o[CounterEgressPlain] = increment_t'(egress_i.plain);
    increments_o[CounterEgressPackets] = increment_t'(egress_i.packets);
    increments_o[CounterEgressPayload] = increment_t'(egress_i.payload);
    increments_o[CounterEgressHeader] = increment_t'(egress_i.header);
    increments_o[CounterEgressFraming] = increment_t'(egress_i.framing);
    increments_o[CounterEgressPadding] = increment_t'(egress_i.padding);
    increments_o[CounterEgressSubs] = increment_t'(egress_i.subs);
    increments_o[CounterEgressSubs1] = increment_t'(egress_i.subs_1);
    increments_o[CounterEgressSubs2] = increment_t'(egress_i.subs_2);
    increments_o[CounterEgressSubs4] = increment_t'(egress_i.subs_4);
    increments_o[CounterEgressSubs8] = increment_t'(egress_i.subs_8);
    increments_o[CounterEgressSubs16] = increment_t'(egress_i.subs_16);
    increments_o[CounterEgressSubs32] = increment_t'(egress_i.subs_32);
    increments_o[CounterEgressSubs64] = increment_t'(egress_i.subs_64);
    increments_o[CounterEgressSubs128] = increment_t'(egress_i.subs_128);
    increments_o[CounterEgressStalls] = increment_t'(egress_i.stalls);
    increments_o[CounterIngressPackets] = increment_t'(ingress_i.packets);
    increments_o[CounterIngressMalformed] = increment_t'(ingress_i.malformed);
    increments_o[CounterIngressStores] = increment_t'(ingress_i.stores);
    increments_o[CounterIngressBytes] = increment_t'(ingress_i.bytes);
    if (up_i.valid) begin
      increments_o[CounterLinkMessagesRequest+32'(up_i.class_)] = increment_t'(1);
      increments_o[CounterLinkBytesRequest+32'(up_i.class_)] = increment_t'(up_i.bytes);
    end
    increments_o[CounterLinkBusy] = increment_t'(up_busy_i);
    if (down_i.valid) begin
      increments_o[CounterSwitchMessages] = increment_t'(1);
      increments_o[CounterSwitchBytes] = increment_t'(down_i.bytes);
    end
    increments_o[CounterLinkBroken] = increment_t'(up_link_i.broken);
    increments_o[CounterSwitchBroken] = increment_t'(down_link_i.broken);
    increments_o[CounterLinkDuplicates] = increment_t'(up_link_i.duplicates);
    increments_o[CounterSwitchDuplicates] = increment_t'(down_link_i.duplicates);
    increments_o[CounterLinkGaps] = increment_t'(up_link_i.gaps);
    increments_o[CounterSwitchGaps] = increment_t'(down_link_i.gaps);
    increments_o[CounterLinkCut] = increment_t'(up_link_i.cut);
    increments_o[CounterSwitchCut] = increment_t'(down_link_i.cut);
    increments_o[CounterLinkNaks] = increment_t'(up_link_i.naks);
    increments_o[CounterSwitchNaks] = increment_t'(down_link_i.naks);
    increments_o[CounterLinkReplays] = increment_t'(up_link_i.replays);
    increments_o[CounterSwitchReplays] = increment_t'(down_link_i.replays);
    increments_o[CounterLinkTimeouts] = increment_t'(up_link_i.timeouts);
    increments_o[CounterSwitchTimeouts] = increment_t'(down_link_i.timeouts);
    increments_o[CounterLinkRetrains] = increment_t'(up_link_i.retrains);
    increments_o[CounterSwitchRetrains] = increment_t'(down_link_i.retrains);
    increments_o[CounterTimeCycles] = increment_t'(1);
    foreach (l1_i[k]) begin
      increments_o[counter_of_cu(k, CounterL1Loads)] = increment_t'(l1_i[k].loads);
      increments_o[counter_of_cu(k, CounterL1Stores)] = increment_t'(l1_i[k].stores);
      increments_o[counter_of_cu(k, CounterL1Atomics)] = increment_t'(l1_i[k].atomics);
      increments_o[counter_of_cu(k, CounterL1Fences)] = increment_t'(l1_i[k].fences);
      increments_o[counter_of_cu(k, CounterL1Hits)] = increment_t'(l1_i[k].hits);
      increments_o[counter_of_cu(k, CounterL1Misses)] = increment_t'(l1_i[k].misses);
      increments_o[counter_of_cu(k, CounterL1Joins)] = increment_t'(l1_i[k].joins);
      increments_o[counter_of_cu(k, CounterL1Installs)] = increment_t'(l1_i[k].installs);
      increments_o[counter_of_cu(k, CounterL1Closed)] = increment_t'(l1_i[k].closed);
      increments_o[counter_of_cu(k, CounterL1Requests)] = increment_t'(l1_i[k].requests);
      increments_o[counter_of_cu(k, CounterL1Errors)] = increment_t'(l1_i[k].errors);
      increments_o[counter_of_cu(k, CounterL1Drops)] = increment_t'(l1_i[k].drops);
      increments_o[counter_of_cu(k, CounterL1Stalls)] = increment_t'(l1_i[k].stalls);
      increments_o[counter_of_cu(k, CounterL1LeaseMisses)] = increment_t'(l1_i[k].lease_misses);
      increments_o[counter_of_cu(k, CounterL1Expired)] = increment_t'(l1_i[k].expired);
      increments_o[counter_of_cu(k, CounterL1Locked)] = increment_t'(l1_i[k].locked);
    end
  end
endmodule
