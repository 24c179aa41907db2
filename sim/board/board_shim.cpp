// SPDX-License-Identifier: Apache-2.0
// Verilator's class of a board behind the C functions of board_shim.h.
#include "board_shim.h"

#include <memory>
#include <new>

#include "Vboard_top.h"
#include "Vboard_top___024root.h"
#include "verilated.h"

struct weft_board_shim {
  VerilatedContext context;
  std::unique_ptr<Vboard_top> top;
};

namespace
{

void evaluate(struct weft_board_shim *s, const struct weft_board_inputs *in, bool board, bool ftdi)
{
  s->top->uart_rxd_i = in->rxd;
  s->top->ft_rxf_ni = in->rxf_n;
  s->top->ft_txe_ni = in->txe_n;
  s->top->ft_data_i = in->data;
  s->top->clk_i = board;
  s->top->ft_clk_i = ftdi;
  s->top->eval();
  s->context.timeInc(1);
}

} // namespace

extern "C" {

struct weft_board_shim *weft_board_shim_new(void)
{
  auto *s = new (std::nothrow) weft_board_shim;
  if (!s)
    return nullptr;
  s->context.assertOn(true);
  s->top = std::make_unique<Vboard_top>(&s->context);
  s->top->rst_ni = 0;
  return s;
}

void weft_board_shim_free(struct weft_board_shim *s)
{
  if (!s)
    return;
  s->top->final();
  delete s;
}

void weft_board_shim_reset(struct weft_board_shim *s, bool active)
{
  s->top->rst_ni = !active;
}

void weft_board_shim_board_edge(struct weft_board_shim *s, const struct weft_board_inputs *in)
{
  evaluate(s, in, true, false);
}

void weft_board_shim_ftdi_edge(struct weft_board_shim *s, const struct weft_board_inputs *in, bool clocked)
{
  evaluate(s, in, false, clocked);
}

void weft_board_shim_rest(struct weft_board_shim *s, const struct weft_board_inputs *in)
{
  evaluate(s, in, false, false);
}

bool weft_board_shim_runs(const struct weft_board_shim *s)
{
  return s->top->rootp->board_top__DOT__running;
}

void weft_board_shim_outputs(const struct weft_board_shim *s, struct weft_board_outputs *out)
{
  const auto &top = *s->top;
  out->txd = top.uart_txd_o;
  out->drive = !top.ft_float_o;
  out->oe_n = top.ft_oe_no;
  out->rd_n = top.ft_rd_no;
  out->wr_n = top.ft_wr_no;
  out->data = top.ft_data_o;
  out->leds = top.led_o;
}

} // extern "C"
