/// Background work outside of the writing thread: due checkpoints, and compaction that no caller requested.
struct BackgroundMaintenance: Sendable {
  let maintenanceJobs: Mailbox<FileEngineService.Job>
  let writes: Mailbox<Writer.Job>
  let fileSystem: any FileSystem
  let shouldStop: @Sendable () -> Bool

  /// Writes a checkpoint. A failure only makes the next opening slower.
  func write(_ checkpoint: Checkpoint, to folder: String) {
    _ = maintenanceJobs.send { [fileSystem, shouldStop] in
      try? checkpoint.write(to: folder, fileSystem, shouldStop: shouldStop)
    }
  }

  /// Stops the work in progress, waits for its end, and starts no other. Don't release the directory before this
  /// returns: its next owner could write the same files.
  func finish() {
    let done = Mailbox<Void>()
    if maintenanceJobs.send({ _ = done.send(()) }) { _ = done.takeAll(waitingAtMost: nil) }
    maintenanceJobs.finish()
  }

  /// Runs the part of a compaction that does not need the journal, then returns the result to the writing thread.
  func run(_ compaction: Compaction) {
    _ = maintenanceJobs.send { [fileSystem, shouldStop, writes] in
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
