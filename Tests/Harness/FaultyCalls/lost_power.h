// Models what a disk can lose when the power fails: everything since a file's last sync, and of the changes to the
// names in a folder since its last sync, some of the latest, in order, as journalling file systems promise. The
// previous state is kept here and restored when the power fails.
//
// One folder is watched; the files that its names referred to are kept in a folder `lost` in it, which must exist.
#ifndef LOCKSTEP_LOST_POWER_H
#define LOCKSTEP_LOST_POWER_H

#ifdef __linux__

// `count` bytes are about to be written; for -1, the file is about to be cut at `offset`.
void lost_power_writes(int file, long offset, long count);

// The file's content, or the folder's changes, are now durable.
void lost_power_synced(int file);

// A file is about to be renamed over another or, for a NULL `from`, removed.
void lost_power_renames(const char *folder, const char *from, const char *to);

// A file is about to be opened, and created if it does not exist.
void lost_power_creates(const char *path);

// The power fails: an even `seed` loses everything, an odd one a part.
void lost_power_undo(unsigned seed);

#endif

#endif
