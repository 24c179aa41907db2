/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to words. The table of docs/wire.md, from left to right. */
#include "tlp_parts.h"

bool weft_tlp_run(const uint64_t mask[2], unsigned *first, unsigned *last)
{
  if ((mask[0] | mask[1]) == 0)
    return false;
  *first = mask[0] ? weft_lowest(mask[0]) : 64U + weft_lowest(mask[1]);
  *last = mask[1] ? 127U - (unsigned)__builtin_clzll(mask[1]) : 63U - (unsigned)__builtin_clzll(mask[0]);
  unsigned set = (unsigned)(__builtin_popcountll(mask[0]) + __builtin_popcountll(mask[1]));
  return set == *last - *first + 1U;
}

/* ---------------------------------------------------------------- words */

static uint32_t type(enum weft_tlp_type t, unsigned words)
{
  return (uint32_t)t << 24 | (words & WEFT_TLP_LENGTH);
}

/* Words of bytes [first, end) of `data`; of words that the run covers in part, the other bytes are 0. */
static unsigned put_bytes(const uint8_t *data, unsigned first, unsigned end, uint32_t *words)
{
  unsigned n = 0;
  for (unsigned w = first / 4U; w <= (end - 1U) / 4U; w++, n++) {
    words[n] = 0;
    for (unsigned i = 4U * w; i < 4U * w + 4U; i++)
      words[n] = words[n] << 8 | (i >= first && i < end ? data[i] : 0U);
  }
  return n;
}

/* ---------------------------------------------------------------- requests */

/* The words that requests with an address have in common. The destination stands in the requester's device and function:
 * so does the completion find them again, whose source it is. */
static unsigned put_request(const struct weft_req *m, enum weft_tlp_type t, unsigned length, unsigned enables,
                            uint64_t address, uint32_t *words)
{
  words[0] = type(t, length);
  words[1] = (uint32_t)m->src << 24 | (uint32_t)m->dst << 20 | (uint32_t)m->cu << 16 |
             (uint32_t)weft_tlp_mark(m) << 15 | (uint32_t)m->id << 8 | enables;
  words[2] = (uint32_t)(address >> 32);
  words[3] = (uint32_t)address;
  return 4;
}

static unsigned put_write(const struct weft_req *m, unsigned line, uint32_t *words)
{
  unsigned first, last;
  if (!weft_tlp_run(m->mask, &first, &last) || last >= line)
    return 0;
  unsigned length = last / 4U - first / 4U + 1U;
  unsigned from = (15U << (first & 3U)) & 15U, to = weft_tlp_last_enable(last + 1U);
  unsigned enables = length > 1U ? to << 4 | from : (to & from);
  put_request(m, WEFT_TLP_MWR, length, enables, m->address + (first & ~3U), words);
  return 4U + put_bytes(m->data, first, last + 1U, words + 4);
}

/* The compare value goes first, as PCIe has it. */
static unsigned put_atomic(const struct weft_req *m, uint32_t *words)
{
  static const enum weft_tlp_type types[] = { [WEFT_FUNC_ADD] = WEFT_TLP_FETCH_ADD,
                                              [WEFT_FUNC_EXCH] = WEFT_TLP_SWAP,
                                              [WEFT_FUNC_CAS] = WEFT_TLP_CAS };
  bool known = m->func <= WEFT_FUNC_CAS;
  unsigned bytes = m->wide ? 8U : 4U, n = 4;
  if (m->func > WEFT_FUNC_XOR || m->address % bytes)
    return 0;
  if (m->func == WEFT_FUNC_CAS)
    n += put_bytes(m->data + 8, 0, bytes, words + n);
  n += put_bytes(m->data, 0, bytes, words + n);
  put_request(m, known ? types[m->func] : WEFT_TLP_FUNCTION, n - 4U, known ? 0U : (unsigned)m->func << 4,
              m->address, words);
  return n;
}

static unsigned put_message(enum weft_tlp_message kind, unsigned src, unsigned dst, unsigned flags,
                            unsigned low, uint32_t last, uint32_t *words)
{
  words[0] = type(WEFT_TLP_MSG, 0);
  words[1] = src << 24 | (uint32_t)kind << 21 | flags << 16 | (low & 0xff00U) | WEFT_TLP_CODE;
  words[2] = dst << 24 | (low & 0xffU) << 16 | WEFT_TLP_VENDOR;
  words[3] = last;
  return 4;
}

static unsigned bank_of(uint64_t address)
{
  return (unsigned)(address >> WEFT_PAGE_SHIFT) & 7U;
}

static uint64_t bank_address(unsigned home, unsigned bank)
{
  return (uint64_t)home << WEFT_HOME_SHIFT | (uint64_t)bank << WEFT_PAGE_SHIFT;
}

static unsigned put_packet(const struct weft_req *m, uint32_t *words)
{
  unsigned bytes = weft_tlp_payload(m), length = (bytes + 3U) / 4U;
  if (bytes == 0 || bytes > WEFT_TLP_PAYLOAD_MAX || m->address & 3U)
    return 0;
  if (!m->wide)
    return put_request(m, WEFT_TLP_FINEPACK, length, (bytes & 3U) << 4, m->address, words);
  words[0] = (uint32_t)WEFT_TLP_PREFIX << 24 | WEFT_TLP_VENDOR;
  return 1U + put_request(m, WEFT_TLP_MWR, length, weft_tlp_packet_enables(bytes), m->address, words + 1);
}

static unsigned put_chunk(const struct weft_req *m, unsigned line, uint32_t *words)
{
  unsigned first, last;
  if (!weft_tlp_run(m->mask, &first, &last) || first != 0 || last >= line)
    return 0;
  return put_bytes(m->data, 0, last + 1U, words);
}

static unsigned put_read(const struct weft_req *m, unsigned line, uint32_t *words)
{
  if (m->address % line)
    return 0;
  if (!weft_req_renews(m))
    return put_request(m, WEFT_TLP_MRD, line / 4U, 0xff, m->address, words);
  put_request(m, WEFT_TLP_RENEW, 1, 0x0f, m->address, words);
  words[4] = (uint32_t)m->mask[0];
  return m->wide || !m->cts || m->mask[0] > UINT16_MAX || m->mask[1] ? 0 : 5;
}

static unsigned put_req(const struct weft_req *m, unsigned line, uint32_t *words)
{
  switch (m->kind) {
  case WEFT_REQ_KIND_READ:
    return put_read(m, line, words);
  case WEFT_REQ_KIND_WRITE:
    return m->address % line ? 0 : put_write(m, line, words);
  case WEFT_REQ_KIND_ATOMIC:
    return put_atomic(m, words);
  case WEFT_REQ_KIND_MARKER:
    if (m->address != bank_address(m->dst, bank_of(m->address)))
      return 0;
    return put_message(WEFT_TLP_MARKER, m->src, m->dst, bank_of(m->address), (unsigned)m->id << 8, 0, words);
  case WEFT_REQ_KIND_PACKET:
    return put_packet(m, words);
  case WEFT_REQ_KIND_CHUNK:
    return put_chunk(m, line, words);
  default:
    return 0; /* a fence does not leave its node */
  }
}

unsigned weft_tlp_encode_req(const struct weft_req *m, unsigned line, uint32_t *words)
{
  if (!weft_req_has_time(m))
    return put_req(m, line, words);
  words[0] = (uint32_t)WEFT_TLP_TIME << 24 | (uint32_t)m->era << 16 | m->cts;
  unsigned rest = put_req(m, line, words + 1);
  return rest ? 1U + rest : 0;
}

/* ---------------------------------------------------------------- forwards and responses */

unsigned weft_tlp_encode_fwd(const struct weft_fwd *m, uint32_t *words)
{
  if (weft_home_of(m->address) != m->src)
    return 0; /* only a line's home invalidates it */
  if (m->kind == WEFT_FWD_KIND_INV)
    return m->address % 16U
             ? 0
             : put_message(WEFT_TLP_INV, m->src, m->dst, (unsigned)m->block << 4 | (unsigned)m->cause << 3,
                           m->stamp, (uint32_t)(m->address >> 4), words);
  if (m->address != bank_address(m->src, bank_of(m->address)))
    return 0;
  return put_message(WEFT_TLP_MARK, m->src, m->dst, bank_of(m->address), (unsigned)m->id << 8 | m->releaser,
                     m->stamp, words);
}

static uint32_t completer(const struct weft_rsp *m)
{
  return (uint32_t)m->src << 24 | (uint32_t)m->bank << 16;
}

static uint32_t requester(const struct weft_rsp *m)
{
  return (uint32_t)m->dst << 24 | (uint32_t)m->src << 20 | (uint32_t)m->cu << 16 | (uint32_t)m->id << 8;
}

static unsigned put_completion(const struct weft_rsp *m, unsigned bytes, uint32_t *words)
{
  unsigned stamps = weft_rsp_has_time(m), payload = bytes + 4U * stamps;
  words[0] = type(WEFT_TLP_CPLD, payload / 4U);
  words[1] = completer(m) | payload | (stamps ? WEFT_TLP_STAMPED : 0);
  words[2] = requester(m);
  words[3] = (uint32_t)m->wts << 16 | m->rts;
  return 3U + stamps + put_bytes(m->data, 0, bytes, words + 3U + stamps);
}

/* The answer of a store: its stamps, and when the line had been written before, unless the store was of the whole line. */
static unsigned put_wrote(const struct weft_rsp *m, uint32_t *words)
{
  unsigned payload = m->wide ? 1U : 2U;
  words[0] = type(WEFT_TLP_CPLD, payload);
  words[1] = completer(m) | WEFT_TLP_WROTE | WEFT_TLP_STAMPED | 4U * payload;
  words[2] = requester(m);
  words[3] = (uint32_t)m->wts << 16 | m->rts;
  words[4] = m->stamp;
  return 3U + payload;
}

unsigned weft_tlp_encode_rsp(const struct weft_rsp *m, unsigned line, uint32_t *words)
{
  switch (m->kind) {
  case WEFT_RSP_KIND_LINE:
    return put_completion(m, line, words);
  case WEFT_RSP_KIND_ATOMIC:
    return put_completion(m, m->wide ? 8U : 4U, words);
  case WEFT_RSP_KIND_WROTE:
    return put_wrote(m, words);
  case WEFT_RSP_KIND_ACK:
    return put_message(WEFT_TLP_ACK, m->src, m->dst, (unsigned)m->seen << 4 | m->bank,
                       (unsigned)m->id << 8 | m->count, m->stamp, words);
  case WEFT_RSP_KIND_SEEN:
    return put_message(WEFT_TLP_SEEN, m->src, m->dst, m->bank, 0, m->stamp, words);
  default:
    return 0; /* a fence's answer does not leave its node */
  }
}

unsigned weft_tlp_encode(enum weft_link_class class, const void *m, unsigned line, uint32_t *words)
{
  if (class == WEFT_LINK_REQUEST)
    return weft_tlp_encode_req(m, line, words);
  return class == WEFT_LINK_FORWARD ? weft_tlp_encode_fwd(m, words) : weft_tlp_encode_rsp(m, line, words);
}
