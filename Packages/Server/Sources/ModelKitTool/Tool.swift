import ArgumentParser

@main struct Tool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "modelkit",
    abstract: "Serves models, and maintains the folders of file stores.",
    discussion: """
      Start with 'modelkit serve --sample bookshop'.

      Exit status: 0 for success, 1 for a failure, 64 for an invalid command line. NO_COLOR turns colours off; there are none \
      where the output is no terminal.
      """,
    subcommands: [
      ServeCommand.self, InspectCommand.self, VerifyCommand.self, RepairCommand.self, CompactCommand.self,
      BackupCommand.self, ExportCommand.self, ImportCommand.self, DiffCommand.self, GenerateCommand.self,
    ])

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      exit(withError: ToolError.described(error))
    }
  }
}
