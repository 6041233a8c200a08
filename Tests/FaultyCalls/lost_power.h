// What a disk may lose when the power goes: everything since the last sync of a file, and of what happened to
// the names in a folder since the last sync of that some of the latest, in its order, as journalling file
// systems promise. What was is kept here, and put back when the power goes.
//
// One folder is watched; what its names stood for is kept in a folder `lost` in it, which must be there.
#ifndef LOCKSTEP_LOST_POWER_H
#define LOCKSTEP_LOST_POWER_H

#ifdef __linux__

// `count` bytes are about to be written; or the file cut at `offset`, for -1.
void lost_power_writes(int file, long offset, long count);

// What was written to the file, or happened in the folder, will stay.
void lost_power_synced(int file);

// A file is about to be renamed over another, or removed, for a NULL `from`.
void lost_power_renames(const char *folder, const char *from, const char *to);

// A file is about to be opened, and made if it is not there.
void lost_power_creates(const char *path);

// The power goes: all is lost for an even `seed`, and for an odd one a part.
void lost_power_undo(unsigned seed);

#endif

#endif
