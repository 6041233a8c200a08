// Makes a library install itself before the program that loads it starts.
#ifndef LOCKSTEP_TAP_START_H
#define LOCKSTEP_TAP_START_H

// Does nothing; a program that refers to it links the rest of this file.
void lockstep_tap_keep(void);

#endif
