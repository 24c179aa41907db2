/* SPDX-License-Identifier: Apache-2.0 */
/* The messages inside frames between host and board (docs/frames.md): commands, and answers. One struct of each serves all
 * kinds; a reader sets what its kind has and 0 for the rest, a writer looks at no more. */
#ifndef WEFT_HOST_MESSAGE_H
#define WEFT_HOST_MESSAGE_H

#include "host_frame.h"
#include "weft_formats.h"

enum weft_host_code {
  WEFT_HOST_NOP = 0x00,
  WEFT_HOST_READ = 0x01, /* answer: VALUES */
  WEFT_HOST_WRITE = 0x02,
  WEFT_HOST_PEEK = 0x03, /* answer: LINES */
  WEFT_HOST_POKE = 0x04,
  WEFT_HOST_FILL = 0x05,
  WEFT_HOST_ECHO = 0x06,
  WEFT_HOST_RUN = 0x07,   /* answer: STOPPED */
  WEFT_HOST_UNTIL = 0x08, /* likewise */
  WEFT_HOST_FREE = 0x09,
  WEFT_HOST_ZERO = 0x0a,
  WEFT_HOST_CANCEL = 0x0b, /* answer: CANCELLED */
  WEFT_HOST_REPORT = 0x40, /* answers only, from here on */
  WEFT_HOST_IDENTITY = 0x41,
  WEFT_HOST_REFUSED = 0x42,
  WEFT_HOST_OP = 0x80, /* and above; answer: DONE */
};

enum weft_host_stop { WEFT_HOST_STOP_ANSWER = 1, WEFT_HOST_STOP_LIMIT = 2, WEFT_HOST_STOP_FLAG = 3 };
#define WEFT_HOST_RUN_TO_ANSWER 1U /* flag of RUN */
#define WEFT_HOST_RESET_FABRIC 1U  /* flag of a reset */

/* Why a board refuses a command in a whole frame. */
enum weft_host_refusal {
  WEFT_HOST_FINE = 0,
  WEFT_HOST_NO_COMMAND = 1,
  WEFT_HOST_CUT = 2,     /* it crosses the end of its frame */
  WEFT_HOST_NO_PORT = 3, /* no such node, CU, warp or tag */
  WEFT_HOST_IN_FLIGHT = 4,
  WEFT_HOST_BAD_SIZE = 5, /* or count */
  WEFT_HOST_BAD_FIELD = 6,
  WEFT_HOST_BAD_ADDRESS = 7,
};

#define WEFT_HOST_WORDS_MAX 64U  /* of a READ */
#define WEFT_HOST_BYTES_MAX 512U /* of a PEEK or POKE */
#define WEFT_HOST_ECHO_MAX 255U
#define WEFT_HOST_COMMAND_MAX \
  (7U + WEFT_HOST_BYTES_MAX) /* bytes of the longest command and of the longest answer */
#define WEFT_HOST_IDENTITY_BYTES 63U
#define WEFT_HOST_MAGIC 0x54464557U /* "WEFT" */

/* What a board says of itself. */
struct weft_host_identity {
  uint32_t magic;
  uint8_t version;
  uint32_t abi;
  uint8_t hash[32];
  uint32_t clock;
  uint8_t faults, nodes, memories, cus, warps, outstanding, line, banks, memory_log2;
  uint16_t counters, window;
  uint32_t nonce;
};

struct weft_host_command {
  uint8_t code;     /* enum weft_host_code; of an operation WEFT_HOST_OP */
  uint64_t address; /* READ, WRITE, PEEK, POKE, FILL */
  uint32_t count;   /* words, lines or bytes */
  uint32_t value;   /* WRITE: value, FILL: pattern, RUN and UNTIL: limit */
  uint8_t flags;    /* RUN: flags, UNTIL: mask */
  uint8_t step;     /* UNTIL */
  uint8_t node, cu; /* OP, from here on */
  uint8_t timed;    /* it has an issue cycle, */
  uint32_t issue;   /* of which these are the low bits */
  struct weft_cu_req req;
  uint8_t bytes[WEFT_HOST_BYTES_MAX]; /* POKE, ECHO */
};

struct weft_host_answer {
  uint8_t code;     /* enum weft_host_code; DONE is WEFT_HOST_OP, STOPPED is WEFT_HOST_RUN, and so on */
  uint64_t address; /* VALUES, LINES */
  uint32_t count;   /* likewise: words, lines; ECHO: bytes; CANCELLED: operations */
  uint8_t reason;   /* STOPPED, REFUSED */
  uint8_t command;  /* REFUSED: its first byte, */
  uint16_t place;   /* and where it stood */
  uint64_t cycle;   /* STOPPED; DONE: low 32 bits */
  uint8_t node, cu; /* DONE, from here on */
  uint8_t timed;    /* it has a cycle: not in free time */
  uint8_t data;     /* it has data: bytes [offset, offset + count) of rsp.data */
  uint8_t offset;
  struct weft_cu_rsp rsp;
  struct weft_host_counts counts;     /* REPORT */
  struct weft_host_identity identity; /* IDENTITY */
  uint8_t bytes[WEFT_HOST_BYTES_MAX]; /* VALUES, LINES, ECHO, as they are sent */
};

/* Writes a message, and returns its bytes; `line` is the configuration's. 0: there is no such message, or the operation is
 * one that a frame cannot carry (a load of anything but one run of bytes from its address on). */
size_t weft_host_command_write(const struct weft_host_command *c, unsigned line, uint8_t *out);
size_t weft_host_answer_write(const struct weft_host_answer *a, unsigned line, uint8_t *out);

/* Reads the command at `in`, which has `left` bytes to the end of its frame, as the board `b` does, except that only the
 * board knows what is in flight. *used: its bytes, if it is fine. */
enum weft_host_refusal weft_host_command_read(struct weft_host_command *c, const struct weft_host_identity *b,
                                              const uint8_t *in, size_t left, size_t *used);
/* Reads the answer at `in`; returns its bytes, 0 if it is none. */
size_t weft_host_answer_read(struct weft_host_answer *a, unsigned line, const uint8_t *in, size_t left);

/* The cycle of which `low` are the low bits, and which is nearest to `near`. */
static inline uint64_t weft_host_cycle(uint64_t near, uint32_t low)
{
  return near + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)near);
}

#endif
