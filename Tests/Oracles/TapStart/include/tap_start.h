// Has a library put itself in before the program that it is loaded into begins.
#ifndef LOCKSTEP_TAP_START_H
#define LOCKSTEP_TAP_START_H

// Does nothing; a program that names it gets the rest of this file linked in.
void lockstep_tap_keep(void);

#endif
