import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Compares ModelKit with what people would use instead.",
    discussion: "Times are printed, never judged: the run fails only if two sides did not do the same work.",
    subcommands: [
      RunCommand.self, MemoryCommand.self, StoreSizesCommand.self, HostileDocumentsCommand.self,
      DurabilityProofCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}
