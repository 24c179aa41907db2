// SPDX-License-Identifier: Apache-2.0

/// The receive buffer of one class: messages in the order in which they came off the wire.
///
/// `Early` messages of a frame may be written before the frame has ended; they can be read when it is committed, all at
/// once, and are forgotten when it is aborted. Those of the other places can be read from the next cycle on. With one place in all,
/// what is written is committed in the same cycle. There is no
/// `ready_o`: the sender has credits, and never sends more than there is room for (asserted).
module link_buffer #(
  /// The message.
  parameter type T = logic,
  /// Messages, a power of two from 2.
  parameter int unsigned Depth = 2,
  /// Messages that may be written in one cycle: first the early ones, then the others.
  parameter int unsigned Early = 1,
  parameter int unsigned Others = 1,
  /// 1 builds in the fault of `swap_i`.
  parameter bit Swaps = 1'b0
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [Early+Others-1:0] write_i,
  input  T     [Early+Others-1:0] data_i,
  /// The frame under way has ended well, the early messages of this cycle included; or it will not.
  input  logic                    commit_i,
  input  logic                    abort_i,
  output logic                    valid_o,
  input  logic                    ready_i,
  output T                        data_o,
  /// Fault, with Swaps: the two elements of a pair leave in the wrong order if both are in the buffer.
  input  logic                    swap_i
);
  localparam int unsigned IndexWidth = $clog2(Depth);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [IndexWidth:0] count_t;

  T store_q[Depth];
  index_t head_q, tail_q, base;
  count_t ready_q, early_q, early_now, others_now, ready_d;
  logic pop;

  assign pop = valid_o && ready_i;
  // Where this cycle's first message goes.
  assign base = abort_i ? tail_q - index_t'(early_q) : tail_q;

  always_comb begin
    early_now  = '0;
    others_now = '0;
    for (int unsigned k = 0; k < Early; k++) early_now += count_t'(write_i[k]);
    for (int unsigned k = Early; k < Early + Others; k++) others_now += count_t'(write_i[k]);
  end

  // Whether a message is one of ours is known last: with one place it only chooses, and nothing is counted behind it.
  localparam bit Alone = Early + Others == 1;
  index_t tail_d;

  if (Alone) begin : gen_alone
    always_comb begin
      case ({
        write_i[0], pop
      })
        2'b10: ready_d = ready_q + count_t'(1);
        2'b01: ready_d = ready_q - count_t'(1);
        default: ready_d = ready_q;
      endcase
    end
    assign tail_d = write_i[0] ? tail_q + index_t'(1) : tail_q;
  end else begin : gen_shared
    assign ready_d = ready_q - count_t'(pop) + (commit_i ? early_q + early_now : '0) + others_now;
    assign tail_d  = base + index_t'(early_now) + index_t'(others_now);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      ready_q <= '0;
      early_q <= '0;
    end else begin
      if (pop) head_q <= head_q + index_t'(1);
      tail_q  <= tail_d;
      ready_q <= ready_d;
      early_q <= (Alone || commit_i || abort_i) ? '0 : early_q + early_now;
      assert (ready_d <= count_t'(Depth))
      else $error("link_buffer: a message came that there was no room for");
      assert (!Alone || !write_i[0] || commit_i)
      else $error("link_buffer: a message that is not whole");
    end
  end

  // Without reset, so that it may become distributed RAM.
  if (Early + Others == 1) begin : gen_one
    always_ff @(posedge clk_i) if (write_i[0]) store_q[base] <= data_i[0];
  end else begin : gen_several
    index_t place[Early+Others];
    always_comb begin
      for (int unsigned k = 0; k < Early + Others; k++) begin
        place[k] = base;
        for (int unsigned m = 0; m < k; m++) place[k] += index_t'(write_i[m]);
      end
    end
    always_ff @(posedge clk_i) begin
      for (int unsigned k = 0; k < Early + Others; k++) if (write_i[k]) store_q[place[k]] <= data_i[k];
    end
  end

  if (Swaps) begin : gen_swaps
    // Decided before the first of a pair can be read, kept until its second has left.
    logic swap_q, decide;
    // The head of the next cycle is the first of a pair when its lowest bit is 0.
    assign decide = pop ? head_q[0] : !head_q[0] && ready_q == '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) swap_q <= 1'b0;
      else if (decide) swap_q <= swap_i && ready_d > count_t'(1);
    end
    assign data_o = store_q[head_q^index_t'(swap_q)];
  end else begin : gen_in_order
    logic unused;
    assign unused = swap_i;
    assign data_o = store_q[head_q];
  end
  assign valid_o = ready_q != '0;

  if (Depth < 2 || Depth != (1 << IndexWidth)) begin : gen_check_depth
    $error("link_buffer: Depth must be a power of two, at least 2");
  end
endmodule
