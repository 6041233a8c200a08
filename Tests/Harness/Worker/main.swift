import EndWithParent
import Foundation

// The work that tests do in a separate process, which can be killed, measured, or given a fault: `Worker SUBJECT …`.
// Each subject has its own file.

// Killed tests leave no workers.
lockstep_end_with_parent()
let arguments = [String](CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
case "commits": Commits.run(arguments)
case "copies": await Copies.run(arguments)
case "crash-migration": CrashingMigration.run(arguments)
case "crash-writes": await CrashingWrites.run(arguments)
case "ends-threads": EndedThreads.run(arguments)
case "migrates": Migrations.run(arguments)
case "nested-calls": await NestedCalls.run(arguments)
case "nested-loops": await NestedLoops.run(arguments)
case "opens": Openings.run(arguments)
case "repeated-calls": await RepeatedCalls.run(arguments)
case "rotates": Rotation.run(arguments)
case "without-threads": await WithoutThreads.run()
case "working-folder": await WorkingFolder.run(arguments)
case "server-copy": CopyOfServer.run(arguments)
case "server-migration": ServerMigration.run(arguments)
default: exit(64)
}
