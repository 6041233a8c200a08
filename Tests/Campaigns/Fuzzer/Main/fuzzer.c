// Hands one of Lockstep's functions to libFuzzer:
//
//   Fuzzer TARGET [OPTIONS AND FOLDERS OF LIBFUZZER]
//   Fuzzer seeds FOLDER        writes the seeds of every target into folders of FOLDER
//   Fuzzer list                prints the names of the targets
//
// Exits with 2 if it cannot start; otherwise as libFuzzer exits.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// From libFuzzer (FuzzerDriver.cpp), which has no header for it.
extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));

// Written in Swift.
extern int lockstep_fuzz_choose(const char *name);
extern int lockstep_fuzz_run(const uint8_t *data, size_t size);
extern int lockstep_fuzz_write_seeds(const char *folder);
extern void lockstep_fuzz_list(void);

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        lockstep_fuzz_list();
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "seeds") == 0) return lockstep_fuzz_write_seeds(argv[2]);
    if (argc < 2 || lockstep_fuzz_choose(argv[1]) != 0) {
        fprintf(stderr, "say Fuzzer TARGET [OPTIONS], Fuzzer seeds FOLDER or Fuzzer list\n");
        return 2;
    }
    // libFuzzer gets the program's name and the arguments after the target's name.
    argv[1] = argv[0];
    argc -= 1;
    argv += 1;
    return LLVMFuzzerRunDriver(&argc, &argv, lockstep_fuzz_run);
}
