#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The queue of a thread. Callers add jobs without waiting, and the thread takes all of them at once.
///
/// Unchecked, because the compiler can't prove that `jobs` and `isFinished` are accessed only with the mutex held.
final class Mailbox<Job: Sendable>: @unchecked Sendable {
  private var jobs: [Job] = []
  private var isFinished = false
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      // A clock that is set back must not delay a sync that is due.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Adds a job at the end of the queue.
  ///
  /// - Returns: `false`, without adding the job, after ``finish()``.
  func send(_ job: Job) -> Bool {
    pthread_mutex_lock(mutex)
    let isOpen = !isFinished
    if isOpen { jobs.append(job) }
    pthread_mutex_unlock(mutex)
    // Not under the mutex, because the woken thread would wait for it.
    if isOpen { pthread_cond_signal(condition) }
    return isOpen
  }

  /// The number of waiting jobs.
  var count: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return jobs.count
  }

  /// Closes the queue for new jobs. Jobs in the queue are still returned.
  func finish() {
    pthread_mutex_lock(mutex)
    isFinished = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for jobs and returns all of them, in the order in which they were added.
  ///
  /// - Parameter limit: The longest time to wait; nil for no limit.
  /// - Returns: No jobs after the time limit; nil if the queue is empty and closed.
  func takeAll(waitingAtMost limit: Duration?) -> [Job]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let deadline = limit.map(Self.time(after:))
    while jobs.isEmpty {
      if isFinished { return nil }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      if !wait(until: deadline) { break }
    }
    let taken = jobs
    jobs = []
    return taken
  }

  /// Returns the monotonic time after `limit`, in nanoseconds.
  private static func time(after limit: Duration) -> UInt64 {
    MonotonicClock.nanoseconds() &+ limit.clampedNanoseconds
  }

  /// Waits for a signal, and returns false once the monotonic time is `deadline`.
  private func wait(until deadline: UInt64) -> Bool {
    let now = MonotonicClock.nanoseconds()
    guard now < deadline else { return false }
    #if canImport(Darwin)
      let rest = deadline - now
      var time = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    #else
      var time = timespec()
      time.tv_sec = time_t(deadline / 1_000_000_000)
      time.tv_nsec = Int(deadline % 1_000_000_000)
      pthread_cond_timedwait(condition, mutex, &time)
    #endif
    return true
  }
}
