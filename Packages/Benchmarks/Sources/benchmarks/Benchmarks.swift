import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Compares ModelKit with alternatives.",
    discussion: "A run fails only if two sides did not do the same work. Only the gate fails because of times.",
    subcommands: [
      RunCommand.self, MemoryCommand.self, StoreSizesCommand.self, HostileDocumentsCommand.self,
      DurabilityProofCommand.self, GateCommand.self, FirstRunCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}
