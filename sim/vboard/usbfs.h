/* SPDX-License-Identifier: Apache-2.0 */
/* A device as Linux shows it to libusb: sysfs, its node, and the ioctls of usbdevfs. Ioctls come on a thread of umockdev's;
 * `lock` is between it and whoever serves the device. */
#ifndef WEFT_VBOARD_USBFS_H
#define WEFT_VBOARD_USBFS_H

#include <pthread.h>
#include <umockdev.h>

#include "device.h"

struct usbfs {
  struct device device;
  pthread_mutex_t lock;
  pthread_cond_t wake; /* something was submitted */
  UMockdevTestbed *testbed;
  UMockdevIoctlBase *ioctls;
  UMockdevIoctlClient *owner; /* who has claimed the interface */
  unsigned number;            /* on its bus */
  char *node;                 /* the node's path */
  int fifo;                   /* the node: can be written to when a transfer can be reaped */
  bool full;
  bool busy; /* usbfs_occupy() */
};

/* A folder for temporary files whose name is not too long. */
bool usbfs_fits(const char *folder);
/* Makes node and sysfs entries; false: message says why not. */
bool usbfs_plug(struct usbfs *u, UMockdevTestbed *testbed, unsigned number, char *message, size_t room);
void usbfs_level(struct usbfs *u);  /* with the lock: after transfers were done */
void usbfs_remove(struct usbfs *u); /* who looks for devices now finds none */
bool usbfs_forbid(struct usbfs *u); /* nobody may open its node any more */
/* Somebody has claimed the interface who is not there, and sysfs says so; false: message says why not. */
bool usbfs_occupy(struct usbfs *u, char *message, size_t room);
void usbfs_free(struct usbfs *u); /* one that was never plugged in is nothing to do */

/* ioctls.c: umockdev's signals, with a struct usbfs as context */
gboolean ioctls_serve(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer context);
void ioctls_vanished(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer context);
void ioctls_free(struct transfer *t);

#endif
