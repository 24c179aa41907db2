// SPDX-License-Identifier: Apache-2.0

/// What `delay_fifo` promises to a writer who keeps its rules: every element comes out once, in its place, from
/// its own cycle on and not before.
module delay_fifo_props #(
  parameter int unsigned Depth = 4,
  parameter int unsigned TimeWidth = 4
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 write_i,
  input logic [TimeWidth-1:0] arrival_i,
  input logic [          1:0] data_i,
  input logic                 ready_i,
  input logic                 mark_i
);
  typedef logic [1:0] data_t;
  typedef logic [$clog2(Depth):0] count_t;
  typedef logic [TimeWidth-1:0] cycle_t;
  localparam cycle_t Half = cycle_t'(1) << (TimeWidth - 1);

  logic   valid_o;
  data_t  data_o;
  cycle_t now_q;

  delay_fifo #(
    .T(data_t),
    .Depth(Depth),
    .TimeWidth(TimeWidth)
  ) dut (
    .clk_i,
    .rst_ni,
    .now_i(now_q),
    .write_i,
    .arrival_i,
    .data_i,
    .valid_o,
    .ready_i,
    .data_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    now_q     <= now_q + cycle_t'(1);
  end
  always_comb if (!started_q) assume (!rst_ni);

  // ---------------------------------------------------------------- counted from outside
  logic pop, follows_q;
  count_t held_q, ahead_q;
  data_t followed_q;
  // Cycles until the last element written, and the followed one, may be seen; 0 from then on.
  cycle_t last_q, left_q;

  assign pop = valid_o && ready_i;

  function automatic cycle_t sooner(cycle_t left);
    return (left == '0) ? '0 : left - cycle_t'(1);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q    <= '0;
      follows_q <= 1'b0;
      last_q    <= '0;
    end else begin
      held_q <= held_q + count_t'(write_i) - count_t'(pop);
      last_q <= sooner(write_i ? arrival_i - now_q : last_q);
      left_q <= sooner(left_q);
      if (follows_q) begin
        if (pop && ahead_q == '0) follows_q <= 1'b0;
        else if (pop) ahead_q <= ahead_q - count_t'(1);
      end else if (write_i && mark_i) begin
        follows_q  <= 1'b1;
        followed_q <= data_i;
        left_q     <= sooner(arrival_i - now_q);
        ahead_q    <= held_q - count_t'(pop);
      end
    end
  end

  // The writer's rules: never into a full queue, times in order and less than half the range ahead.
  always_comb begin
    if (rst_ni && write_i) begin
      assume (held_q != count_t'(Depth));
      assume (arrival_i - now_q < Half && arrival_i - now_q >= last_q);
    end
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      never_above_depth : assert (held_q <= count_t'(Depth));
      gives_only_what_it_has : assert (!valid_o || held_q != '0);
      element_in_its_place : assert (!follows_q || ahead_q != '0 || !valid_o || data_o == followed_q);
      never_early : assert (!follows_q || ahead_q != '0 || !valid_o || left_q == '0);
      never_late : assert (!follows_q || ahead_q != '0 || left_q != '0 || valid_o);

      reach_full : cover (held_q == count_t'(Depth));
      reach_waits_for_its_time : cover (follows_q && ahead_q == '0 && left_q > cycle_t'(1));
      reach_last_place_left : cover (follows_q && ahead_q == '0 && pop);
      reach_written_alone_and_seen : cover (follows_q && valid_o && held_q == count_t'(1) && left_q == '0);
      reach_clock_wrapped : cover (follows_q && now_q == '0 && held_q == count_t'(Depth));
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  typedef logic [$clog2(Depth)-1:0] index_t;
  // Cycles that have passed since an element's time, negative before it.
  typedef logic signed [TimeWidth-1:0] passed_t;

  function automatic passed_t passed(count_t offset);
    return passed_t'(now_q - dut.arrival_q[dut.head_q+index_t'(offset)]);
  endfunction

  always_comb begin
    if (rst_ni) begin
      induct_counts : assert (dut.stored_q == held_q && dut.visible_q <= held_q);
      induct_pointers :
      assert (dut.tail_q == dut.head_q + index_t'(held_q) &&
              dut.arrive_q == dut.head_q + index_t'(dut.visible_q));
      induct_followed_is_stored :
      assert (!follows_q || (ahead_q < held_q && dut.store_q[dut.head_q+index_t'(ahead_q)] == followed_q));
      induct_followed_time :
      assert (!follows_q || (dut.visible_q > ahead_q ? left_q == '0 : left_q == ((passed(
          ahead_q
      ) < 0) ? cycle_t'(-passed(
          ahead_q
      )) : '0)));
      induct_last_time :
      assert (last_q < Half && (held_q == dut.visible_q || last_q == ((passed(
          held_q - 1'b1
      ) < 0) ? cycle_t'(-passed(
          held_q - 1'b1
      )) : '0)));
    end
  end
  // Elements that wait stand in the order of their times, and each is late by no more than those before it took.
  for (genvar i = 0; i < Depth; i++) begin : gen_waiting
    always_comb begin
      if (rst_ni && count_t'(i) >= dut.visible_q && count_t'(i) < held_q) begin
        induct_lateness : assert (passed(count_t'(i)) < passed_t'(Depth - i) + passed_t'(dut.visible_q));
        if (count_t'(i) > dut.visible_q) begin
          induct_times_in_order : assert (passed(count_t'(i)) <= passed(count_t'(i - 1)));
        end
      end
    end
  end
endmodule
