/// The work that the writing thread leaves to another one: checkpoints that are due, and compaction that no caller requested.
struct BackgroundMaintenance: Sendable {
  let upkeep: Mailbox<FileEngineService.Job>
  let writes: Mailbox<Writer.Job>
  let fileSystem: any FileSystem
  let shouldStop: @Sendable () -> Bool

  /// Writes a checkpoint. If that fails, opening takes longer, and nothing else is lost.
  func write(_ checkpoint: Checkpoint, to folder: String) {
    _ = upkeep.send { [fileSystem, shouldStop] in
      try? checkpoint.write(to: folder, fileSystem, shouldStop: shouldStop)
    }
  }

  /// Stops the work under way, waits for it, and begins no other. Until this returns, the directory must not be released:
  /// its next owner could write the same files.
  func finish() {
    let done = Mailbox<Void>()
    if upkeep.send({ _ = done.send(()) }) { _ = done.takeAll(waitingAtMost: nil) }
    upkeep.finish()
  }

  /// Does what a compaction has to do beside the journal, and gives it back to the writing thread.
  func run(_ compaction: Compaction) {
    _ = upkeep.send { [fileSystem, shouldStop, writes] in
      do {
        let outcome = try compaction.run(fileSystem, shouldStop: shouldStop)
        _ = writes.send(
          .command { writer in
            do { try writer.finish(compaction, outcome) } catch { writer.fail(compaction) }
            writer.release(compaction.group)
          })
      } catch {
        _ = writes.send(
          .command { writer in
            writer.fail(compaction)
            writer.release(compaction.group)
          })
      }
    }
  }
}
