import Foundation

/// Runs `body` on a thread with a stack of 512 kB and waits for its result.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
  // Written by the thread before it signals, read by the caller after it waited: never at the same time.
  nonisolated(unsafe) var result: Result?
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    result = body()
    done.signal()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  done.wait()
  return result
}
