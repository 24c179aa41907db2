/* SPDX-License-Identifier: Apache-2.0 */
#include "usbfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODE "/dev/bus/usb/001/%03u"
#define BUS "/devices/pci0000:00/0000:00:14.0/usb1"

/* ---- The node -------------------------------------------------------------------------------------------------- */

/* libusb asks poll() whether the node can be written to, and then reaps. A pipe of one place answers that: it is full
 * while there is nothing to reap. */
void usbfs_level(struct usbfs *u)
{
  char byte = 0;
  bool want = !u->device.done.first && !u->device.gone;
  if (want && !u->full)
    u->full = write(u->fifo, &byte, 1) == 1;
  else if (!want && u->full)
    u->full = read(u->fifo, &byte, 1) != 1;
}

static bool make_pipe(struct usbfs *u, const char *node)
{
  unlink(node);
  if (mkfifo(node, 0644))
    return false;
  u->fifo = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (u->fifo < 0)
    return false;
  u->full = fcntl(u->fifo, F_SETPIPE_SZ, getpagesize()) >= 0 && write(u->fifo, "", 1) == 1;
  return u->full;
}

/* ---- Ioctls ---------------------------------------------------------------------------------------------------- */

struct answer {
  long result;
  int error;
};

static struct answer fails(int error)
{
  return (struct answer){ -1, error };
}

static struct answer succeeds(void)
{
  return (struct answer){ 0, 0 };
}

static struct answer capabilities(UMockdevIoctlData *argument)
{
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(uint32_t), NULL);
  if (!data)
    return fails(EFAULT);
  uint32_t can = USBDEVFS_CAP_BULK_CONTINUATION | USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
                 USBDEVFS_CAP_REAP_AFTER_DISCONNECT | USBDEVFS_CAP_ZERO_PACKET;
  memcpy(data->data, &can, sizeof can);
  g_object_unref(data);
  return succeeds();
}

static struct answer claim(struct usbfs *u, UMockdevIoctlClient *client)
{
  if (u->busy || (u->owner && u->owner != client))
    return fails(EBUSY);
  u->owner = client;
  return succeeds();
}

static struct answer release(struct usbfs *u, UMockdevIoctlClient *client)
{
  if (u->owner != client)
    return fails(EINVAL);
  u->owner = NULL;
  return succeeds();
}

static void free_transfer(struct transfer *t)
{
  g_object_unref(t->token);
  free(t);
}

static struct answer submit(struct usbfs *u, UMockdevIoctlClient *client, UMockdevIoctlData *argument)
{
  struct usbdevfs_urb *urb;
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof *urb, NULL), *buffer = NULL;
  if (!data)
    return fails(EFAULT);
  urb = (void *)data->data;
  if (urb->buffer_length > 0)
    buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer),
                                         (size_t)urb->buffer_length, NULL);
  struct transfer *t = calloc(1, sizeof *t);
  if (!t || (urb->buffer_length > 0 && !buffer)) {
    free(t);
    g_object_unref(data);
    return fails(t ? EFAULT : ENOMEM);
  }
  t->control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
  t->endpoint = urb->endpoint;
  t->bytes = buffer ? buffer->data : NULL;
  t->length = urb->buffer_length > 0 ? (uint32_t)urb->buffer_length : 0;
  t->owner = client;
  t->name = data->client_addr;
  t->token = data; /* and with it the buffer */
  if (buffer)
    g_object_unref(buffer);
  device_submit(&u->device, t);
  return succeeds();
}

static int status_of(enum device_result result)
{
  switch (result) {
  case DEVICE_STALLED:
    return -EPIPE;
  case DEVICE_GONE:
    return -ESHUTDOWN;
  case DEVICE_CANCELLED:
    return -ENOENT;
  case DEVICE_OVERFLOW:
    return -EOVERFLOW;
  default:
    return 0;
  }
}

/* What is written into the program's memory follows from what changed in `data` and its buffer. */
static struct answer reap(struct usbfs *u, UMockdevIoctlClient *client, UMockdevIoctlData *argument)
{
  struct transfer *t = device_reap(&u->device, client);
  if (!t)
    return fails(u->device.gone ? ENODEV : EAGAIN);
  UMockdevIoctlData *pointer = umockdev_ioctl_data_resolve(argument, 0, sizeof(void *), NULL);
  UMockdevIoctlData *data = t->token;
  struct usbdevfs_urb *urb = (void *)data->data;
  urb->status = status_of(t->result);
  urb->actual_length = (int)t->actual;
  if (pointer) {
    umockdev_ioctl_data_set_ptr(pointer, 0, data);
    g_object_unref(pointer);
  }
  free_transfer(t);
  return pointer ? succeeds() : fails(EFAULT);
}

static struct answer discard(struct usbfs *u, UMockdevIoctlClient *client, UMockdevIoctlData *argument)
{
  unsigned long address;
  memcpy(&address, argument->data, sizeof address);
  return device_cancel(&u->device, client, address) ? succeeds() : fails(EINVAL);
}

static struct answer clear_halt(struct usbfs *u, UMockdevIoctlData *argument)
{
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(unsigned), NULL);
  unsigned endpoint;
  if (!data)
    return fails(EFAULT);
  memcpy(&endpoint, data->data, sizeof endpoint);
  g_object_unref(data);
  device_clear_halt(&u->device, (uint8_t)endpoint);
  return succeeds();
}

static struct answer serve_ioctl(struct usbfs *u, UMockdevIoctlClient *client)
{
  UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client);
  unsigned long request = umockdev_ioctl_client_get_request(client);
  if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY)
    return reap(u, client, argument);
  if (u->device.gone)
    return fails(ENODEV);
  switch (request) {
  case USBDEVFS_GET_CAPABILITIES:
    return capabilities(argument);
  case USBDEVFS_CLAIMINTERFACE:
    return claim(u, client);
  case USBDEVFS_RELEASEINTERFACE:
    return release(u, client);
  case USBDEVFS_CLEAR_HALT:
    return clear_halt(u, argument);
  case USBDEVFS_RESET:
  case USBDEVFS_SETCONFIGURATION:
  case USBDEVFS_SETINTERFACE:
    return succeeds();
  case USBDEVFS_GETDRIVER:
  case USBDEVFS_IOCTL: /* to its driver, which a host may want to be rid of: there is none */
    return fails(ENODATA);
  case USBDEVFS_SUBMITURB:
    return submit(u, client, argument);
  case USBDEVFS_DISCARDURB:
    return discard(u, client, argument);
  default:
    return fails(ENOTTY);
  }
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer context)
{
  struct usbfs *u = context;
  (void)base;
  pthread_mutex_lock(&u->lock);
  struct answer answer = serve_ioctl(u, client);
  usbfs_level(u);
  pthread_cond_signal(&u->wake);
  pthread_mutex_unlock(&u->lock);
  umockdev_ioctl_client_complete(client, answer.result, answer.error);
  return TRUE;
}

/* Whoever closes the node, or ends, gives back what he had. */
static void on_vanished(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer context)
{
  struct usbfs *u = context;
  (void)base;
  pthread_mutex_lock(&u->lock);
  if (u->owner == client)
    u->owner = NULL;
  device_cancel_all(&u->device, client);
  for (struct transfer *t; (t = device_reap(&u->device, client));)
    free_transfer(t);
  usbfs_level(u);
  pthread_mutex_unlock(&u->lock);
}

/* ---- In and out of the machine --------------------------------------------------------------------------------- */

static void hex(char *text, const uint8_t *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    sprintf(text + 2 * i, "%02X", bytes[i]);
}

/* What udev and sysfs tell of it, in umockdev's words. */
static void describe(const struct usbfs *u, char *text, size_t room)
{
  uint8_t whole[128];
  char digits[2 * sizeof whole + 1] = "";
  const struct device *d = &u->device;
  size_t first = descriptor_get(d->front, d->serial, 1, 0, whole, sizeof whole);
  size_t count = first + descriptor_get(d->front, d->serial, 2, 0, whole + first, sizeof whole - first);
  hex(digits, whole, count);
  snprintf(text, room,
           "P: " BUS "/1-%u\nN: bus/usb/001/%03u\n"
           "E: SUBSYSTEM=usb\nE: DRIVER=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\nE: DEVNUM=%03u\n"
           "E: DEVNAME=/dev/bus/usb/001/%03u\nE: MAJOR=189\nE: MINOR=%u\nE: ID_SERIAL_SHORT=%s\n"
           "A: bConfigurationValue=1\\n\nA: busnum=1\\n\nA: devnum=%u\\n\nA: speed=%s\\n\n"
           "A: idVendor=0403\\n\nA: idProduct=%02x%02x\\n\nA: serial=%s\\n\nH: descriptors=%s\n",
           u->number - 1, u->number, u->number, u->number, u->number - 1, d->serial, u->number,
           d->front == WEFT_BOARD_FT245 ? "480" : "12", whole[11], whole[10], d->serial, digits);
}

bool usbfs_plug(struct usbfs *u, UMockdevTestbed *testbed, unsigned number, char *message, size_t room)
{
  char text[2048], node[64];
  GError *error = NULL;
  pthread_mutex_init(&u->lock, NULL);
  pthread_cond_init(&u->wake, NULL);
  u->testbed = testbed;
  u->number = number;
  u->fifo = -1;
  u->ioctls = umockdev_ioctl_base_new();
  g_signal_connect(u->ioctls, "handle-ioctl", G_CALLBACK(on_ioctl), u);
  g_signal_connect(u->ioctls, "client-vanished", G_CALLBACK(on_vanished), u);
  snprintf(node, sizeof node, NODE, number);
  describe(u, text, sizeof text);
  if (!umockdev_testbed_attach_ioctl(testbed, node, u->ioctls, &error) ||
      !umockdev_testbed_add_from_string(testbed, text, &error)) {
    snprintf(message, room, "umockdev does not take the device: %s",
             error ? error->message : "no reason given");
    g_clear_error(&error);
    return false;
  }
  char *root = umockdev_testbed_get_root_dir(testbed);
  u->node = g_strconcat(root, node, NULL);
  bool made = make_pipe(u, u->node);
  if (!made)
    snprintf(message, room, "cannot make the device's node %s: %s", u->node, strerror(errno));
  g_free(root);
  return made;
}

bool usbfs_forbid(struct usbfs *u)
{
  return !chmod(u->node, 0);
}

void usbfs_remove(struct usbfs *u)
{
  char path[64];
  snprintf(path, sizeof path, "/sys" BUS "/1-%u", u->number - 1);
  umockdev_testbed_remove_device(u->testbed, path);
}

void usbfs_free(struct usbfs *u)
{
  char name[64];
  if (!u->testbed)
    return;
  snprintf(name, sizeof name, NODE, u->number);
  umockdev_testbed_detach_ioctl(u->testbed, name, NULL);
  device_unplug(&u->device);
  for (struct transfer *t; (t = device_reap(&u->device, NULL));)
    free_transfer(t);
  g_free(u->node);
  g_object_unref(u->ioctls);
  if (u->fifo >= 0)
    close(u->fifo);
  pthread_cond_destroy(&u->wake);
  pthread_mutex_destroy(&u->lock);
}
