/* SPDX-License-Identifier: Apache-2.0 */
/* FT232H in 245 synchronous FIFO mode. Read: RXF# low, then OE# low, a clock later RD# low; a byte moves on each edge before
 * which RD# and RXF# were low. Write: on each edge before which WR# and TXE# were; with TXE# high the byte was not taken. */
#include <string.h>

#include "ftdi_chip.h"

#define PACKET 512U /* RXF# goes up for a cycle where one packet of the host ends and the next begins */

void weft_ft232h_reset(struct weft_ft232h *c)
{
  memset(c, 0, sizeof *c);
  c->down.room = c->up.room = WEFT_FTDI_FIFO;
  c->gap = PACKET;
}

void weft_ft232h_drive(const struct weft_ft232h *c, struct weft_board_inputs *pins)
{
  bool readable = c->active && c->down.count && c->gap;
  pins->rxf_n = !readable;
  pins->txe_n = !c->active || c->stuck || c->up.count >= c->up.room;
  /* While OE# is high the lines are not the chip's, and may be anything. */
  pins->data = c->down.count ? c->down.byte[c->down.first] : 0xee;
}

/* The first breach is kept. */
static void judge(struct weft_ft232h *c, const struct weft_board_outputs *fpga)
{
  bool oe = !fpga->oe_n, driven = fpga->drive;
  enum weft_ftdi_breach found = oe && driven                                     ? WEFT_FTDI_BOTH_DRIVE
                                : (oe && c->was_driven) || (driven && c->was_oe) ? WEFT_FTDI_NO_TURN
                                : !fpga->rd_n && !(oe && c->was_oe)              ? WEFT_FTDI_EARLY_READ
                                : !fpga->wr_n && !driven                         ? WEFT_FTDI_NO_DATA
                                                                                 : WEFT_FTDI_FINE;
  if (!c->breach)
    c->breach = found;
  c->was_oe = oe;
  c->was_driven = driven;
}

unsigned weft_ft232h_edge(struct weft_ft232h *c, const struct weft_board_inputs *driven,
                          const struct weft_board_outputs *fpga)
{
  unsigned moved = 0;
  if (!c->active)
    return 0;
  judge(c, fpga);
  if (!c->gap)
    c->gap = PACKET;
  if (!fpga->rd_n && !driven->rxf_n) {
    weft_ftdi_fifo_pop(&c->down);
    c->gap--;
    moved++;
  }
  if (!fpga->wr_n && !driven->txe_n) {
    weft_ftdi_fifo_push(&c->up, fpga->data);
    moved++;
  }
  c->held += !fpga->wr_n && driven->txe_n;
  return moved;
}
