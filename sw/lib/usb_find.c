/* SPDX-License-Identifier: Apache-2.0 */
/* Which boards there are, from /sys alone: a device at work is not touched by whoever merely looks. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usb_device.h"
#include "usb_ftdi.h"

#define DEVICES "/sys/bus/usb/devices"

/* The first line of a device's attribute; "" if it has none. */
static void read_attribute(const char *device, const char *name, char *text, size_t size)
{
  char path[320];
  text[0] = 0;
  snprintf(path, sizeof path, DEVICES "/%s/%s", device, name);
  FILE *file = fopen(path, "re");
  if (!file)
    return;
  if (!fgets(text, (int)size, file))
    text[0] = 0;
  fclose(file);
  /* It comes from a device, and goes to a terminal. fgets() ended it below size, which is the array's. */
  /* NOLINTBEGIN(clang-analyzer-security.ArrayBound) */
  for (size_t i = 0; i < size && text[i]; i++)
    if (text[i] == '\n')
      text[i] = 0;
    else if (!isprint((unsigned char)text[i]))
      text[i] = '?';
  /* NOLINTEND(clang-analyzer-security.ArrayBound) */
}

static unsigned read_number(const char *device, const char *name, int base)
{
  char text[32];
  read_attribute(device, name, text, sizeof text);
  return (unsigned)strtoul(text, NULL, base);
}

/* Whether a program has claimed the only interface. A driver of the kernel, such as the one for serial ports, gives way. */
static bool is_claimed(const char *device)
{
  char path[640], target[256];
  snprintf(path, sizeof path, DEVICES "/%s/%s:1.0/driver", device, device);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length <= 0)
    return false;
  target[length] = 0;
  const char *slash = strrchr(target, '/');
  return !strcmp(slash ? slash + 1 : target, "usbfs");
}

static bool is_denied(const struct weft_board_found *b)
{
  char node[64];
  snprintf(node, sizeof node, "/dev/bus/usb/%03u/%03u", b->bus, b->port);
  return access(node, R_OK | W_OK) != 0;
}

static bool describe(const char *device, struct weft_board_found *b)
{
  const struct weft_ftdi_chip *chip = weft_ftdi_chip_find((uint16_t)read_number(device, "idVendor", 16),
                                                          (uint16_t)read_number(device, "idProduct", 16));
  if (!chip)
    return false;
  memset(b, 0, sizeof *b);
  read_attribute(device, "serial", b->serial, sizeof b->serial);
  read_attribute(device, "product", b->product, sizeof b->product);
  snprintf(b->chip, sizeof b->chip, "%s", chip->name);
  snprintf(b->front, sizeof b->front, "%s", chip->front);
  b->bus = read_number(device, "busnum", 10);
  b->port = read_number(device, "devnum", 10);
  b->state = is_claimed(device) ? WEFT_BOARD_STATE_BUSY
             : is_denied(b)     ? WEFT_BOARD_STATE_DENIED
                                : WEFT_BOARD_STATE_FREE;
  return true;
}

/* By where they are plugged in: the same order every time. */
static int compare(const void *one, const void *other)
{
  const struct weft_board_found *a = one, *b = other;
  if (a->bus != b->bus)
    return a->bus < b->bus ? -1 : 1;
  return a->port < b->port ? -1 : a->port > b->port;
}

int weft_usb_list(struct weft_board_found **boards, size_t *count, struct weft_backend_error *e)
{
  *boards = NULL;
  *count = 0;
  DIR *folder = opendir(DEVICES);
  if (!folder) /* a machine without USB has no boards */
    return WEFT_BACKEND_OK;
  for (struct dirent *entry; (entry = readdir(folder));) {
    struct weft_board_found found;
    if (entry->d_name[0] == '.' || strchr(entry->d_name, ':') || !describe(entry->d_name, &found))
      continue;
    struct weft_board_found *more = realloc(*boards, (*count + 1) * sizeof *more);
    if (!more) {
      free(*boards);
      *boards = NULL;
      closedir(folder);
      return weft_line_fails(e, WEFT_BACKEND_LACKS, "out of memory");
    }
    *boards = more;
    more[(*count)++] = found;
  }
  closedir(folder);
  if (*count)
    qsort(*boards, *count, sizeof **boards, compare);
  return WEFT_BACKEND_OK;
}
