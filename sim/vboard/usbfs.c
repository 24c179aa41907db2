/* SPDX-License-Identifier: Apache-2.0 */
#include "usbfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define NODE "/dev/bus/usb/001/%03u"
#define BUS "/devices/pci0000:00/0000:00:14.0/usb1"

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
  snprintf(
    text, room,
    "P: " BUS "/1-%u\nN: bus/usb/001/%03u\n"
    "E: SUBSYSTEM=usb\nE: DRIVER=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\nE: DEVNUM=%03u\n"
    "E: DEVNAME=/dev/bus/usb/001/%03u\nE: MAJOR=189\nE: MINOR=%u\nE: ID_SERIAL_SHORT=%s\n"
    "A: bConfigurationValue=1\\n\nA: busnum=1\\n\nA: devnum=%u\\n\nA: speed=%s\\n\n"
    "A: idVendor=0403\\n\nA: idProduct=%02x%02x\\n\nA: product=%s\\n\nA: serial=%s\\n\nH: descriptors=%s\n",
    u->number - 1, u->number, u->number, u->number, u->number - 1, d->serial, u->number,
    d->front == WEFT_BOARD_FT245 ? "480" : "12", whole[11], whole[10], descriptor_product(d->front),
    d->serial, digits);
}

/* Programs reach umockdev by a socket, FOLDER/umockdev.XXXXXX/ioctl/dev/bus/usb/001/002. */
bool usbfs_fits(const char *folder)
{
  struct sockaddr_un address;
  return strlen(folder) + sizeof "/umockdev.XXXXXX/ioctl/dev/bus/usb/001/002" <= sizeof address.sun_path;
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
  g_signal_connect(u->ioctls, "handle-ioctl", G_CALLBACK(ioctls_serve), u);
  g_signal_connect(u->ioctls, "client-vanished", G_CALLBACK(ioctls_vanished), u);
  snprintf(node, sizeof node, NODE, number);
  describe(u, text, sizeof text);
  char *root = umockdev_testbed_get_root_dir(testbed);
  u->node = g_strconcat(root, node, NULL);
  g_free(root);
  if (!umockdev_testbed_attach_ioctl(testbed, node, u->ioctls, &error) ||
      !umockdev_testbed_add_from_string(testbed, text, &error)) {
    snprintf(message, room, "umockdev does not take the device: %s",
             error ? error->message : "no reason given");
    g_clear_error(&error);
    return false;
  }
  bool made = make_pipe(u, u->node);
  if (!made)
    snprintf(message, room, "cannot make the device's node %s: %s", u->node, strerror(errno));
  return made;
}

/* An interface that a program has claimed has a driver: usbfs. Whoever merely looks sees that, without an ioctl. */
bool usbfs_occupy(struct usbfs *u, char *message, size_t room)
{
  char text[512];
  GError *error = NULL;
  unsigned port = u->number - 1;
  snprintf(text, sizeof text,
           "P: " BUS "/1-%u/1-%u:1.0\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\nE: DRIVER=usbfs\n"
           "L: driver=../../../../../../bus/usb/drivers/usbfs\n",
           port, port);
  u->busy = umockdev_testbed_add_from_string(u->testbed, text, &error);
  if (!u->busy)
    snprintf(message, room, "umockdev does not take the interface: %s",
             error ? error->message : "no reason given");
  g_clear_error(&error);
  return u->busy;
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
    ioctls_free(t);
  g_free(u->node);
  g_object_unref(u->ioctls);
  if (u->fifo >= 0)
    close(u->fifo);
  pthread_cond_destroy(&u->wake);
  pthread_mutex_destroy(&u->lock);
}
