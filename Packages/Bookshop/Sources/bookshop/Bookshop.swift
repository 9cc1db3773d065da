import ArgumentParser

@main
struct Bookshop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookshop",
    abstract: "Keeps the stock of a bookshop in a folder.",
    discussion: """
      Start with 'bookshop import --catalogue', or see it all with 'bookshop demo'.

      Exit status: 0 for success, 1 for a failure, 64 for an invalid command line. NO_COLOR turns colours off; \
      there are none where the output is no terminal.
      """,
    subcommands: [
      ImportCommand.self, ListCommand.self, ShowCommand.self, RateCommand.self, TagCommand.self, RemoveCommand.self,
      ExportCommand.self, PushCommand.self, PullCommand.self, SyncCommand.self,
      ServeCommand.self, DemoCommand.self,
    ])
}
