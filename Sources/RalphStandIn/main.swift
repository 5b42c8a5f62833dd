import Foundation

exit(Program.run(CommandLine.arguments))
