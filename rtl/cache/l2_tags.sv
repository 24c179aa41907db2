// SPDX-License-Identifier: Apache-2.0

/// Tags and ages of an L2 bank. Read in stage A, compared and changed in stage B; a change is seen by the very
/// next step, since the RAM gives what is being written. Cleared by a walk after reset.
module l2_tags
  import weft_pkg::*;
  import l2_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  output logic ready_o,
  /// Leases: every line of another home is dropped.
  input  logic [3:0] self_i,
  input  logic       drop_i,

  /// Stage A: the line whose set is needed in the next cycle.
  input  logic    lookup_i,
  input  lineno_t lookup_line_i,

  /// Stage B: the same line; is it there, and where.
  input  lineno_t line_i,
  output logic    hit_o,
  output way_t    hit_way_o,
  /// The way that an installed line takes, never the excluded one.
  input  logic [L2Ways-1:0] exclude_i,
  output way_t    victim_o,
  /// The way of the step: whether a dirty line stands in it, and which.
  input  way_t        way_i,
  output logic        way_dirty_o,
  output bankline_t   way_line_o,

  /// Stage B: what the step does to way_i.
  input  logic touch_i,
  input  logic install_i,
  input  logic dirty_i,
  input  logic clean_i,
  input  logic invalidate_i
);
  tags_t tags, tags_new;
  set_t  set;
  logic [SetBits:0] walk_q;
  logic [39:0] address, lookup_address;

  assign address        = {line_i, LineBits'(0)};
  assign lookup_address = {lookup_line_i, LineBits'(0)};
  assign set            = set_of(address);
  assign ready_o        = walk_q[SetBits];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) walk_q <= '0;
    else if (!ready_o) walk_q <= walk_q + 1'b1;
  end

  ram #(
    .Words(L2Sets),
    .Width($bits(tags_t))
  ) u_ram (
    .clk_i,
    .ren_i  (lookup_i),
    .raddr_i(set_of(lookup_address)),
    .rdata_o(tags),
    .wen_i  (touch_i || clean_i || invalidate_i || !ready_o),
    .waddr_i(ready_o ? set : SetBits'(walk_q)),
    .wdata_i(ready_o ? tags_new : '0)
  );

  // Lines that were dropped all at once, which their tags do not say. Those of this home stay.
  logic [L2Ways-1:0] dropped;
  if (BuiltLeases) begin : gen_dropped
    logic [L2Sets-1:0][L2Ways-1:0] dropped_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) dropped_q <= '0;
      else if (drop_i) dropped_q <= '1;
      else if (install_i) dropped_q[set][way_i] <= 1'b0;
    end
    always_comb
      foreach (dropped[w]) dropped[w] = dropped_q[set][w] && tags.entry[w].tag[TagBits-1-:4] != self_i;
  end else begin : gen_not_dropped
    assign dropped = '0;
    logic unused;
    assign unused = ^{self_i, drop_i};
  end

  logic [L2Ways-1:0] valid, hits;
  way_t hit_way, victim;
  way_t [L2Ways-1:0] ages, ages_next;
  always_comb begin : compare
    hits = '0;
    hit_way = '0;
    foreach (valid[w]) begin
      valid[w] = tags.entry[w].valid && !dropped[w];
      hits[w] = valid[w] && tags.entry[w].tag == tag_of(address);
      if (hits[w]) hit_way |= WayBits'(w);
      ages[w] = tags.age[w] ^ WayBits'(w);
    end
  end
  // What the comparison found, where a step has cycles for it.
  cut #(
    .Width(1 + 2 * WayBits),
    .Cut  (32'(L2Interval > 2))
  ) u_cut (
    .clk_i,
    .data_i({hits != '0, hit_way, victim}),
    .data_o({hit_o, hit_way_o, victim_o})
  );
  replacement #(
    .Ways(L2Ways)
  ) u_replacement (
    .valid_i    (valid),
    .ages_i     (ages),
    .exclude_i  (exclude_i),
    .touch_way_i(way_i),
    .victim_o   (victim),
    .ages_o     (ages_next)
  );

  assign way_dirty_o = tags.entry[way_i].valid && tags.entry[way_i].dirty;
  assign way_line_o  = {tags.entry[way_i].tag[TagBits-5:0], set};

  always_comb begin : change
    tags_new = tags;
    if (touch_i) foreach (ages_next[w]) tags_new.age[w] = ages_next[w] ^ WayBits'(w);
    if (install_i) tags_new.entry[way_i] = '{valid: 1'b1, dirty: 1'b0, tag: tag_of(address)};
    if (dirty_i) tags_new.entry[way_i].dirty = 1'b1;
    if (clean_i) tags_new.entry[way_i].dirty = 1'b0;
    if (invalidate_i) tags_new.entry[way_i].valid = 1'b0;
  end
endmodule
