import BenchmarkHarness
import Testing

@Suite struct `A checksum` {
  private func sum(_ add: (inout Checksum) -> Void) -> UInt64 {
    var checksum = Checksum()
    add(&checksum)
    return checksum.value
  }

  @Test func `A checksum depends on values and their order`() {
    let first = sum {
      $0.add("ada")
      $0.add(1)
    }
    let second = sum {
      $0.add(1)
      $0.add("ada")
    }
    #expect(first != second)
    #expect(
      first
        == sum {
          $0.add("ada")
          $0.add(1)
        })
  }

  @Test func `A checksum distinguishes texts with different boundaries`() {
    #expect(sum { $0.add(["ab", "c"]) } != sum { $0.add(["a", "bc"]) })
    #expect(sum { $0.add("") } != sum { _ in })
  }

  @Test func `A checksum distinguishes nil from zero`() {
    #expect(sum { $0.add(Int?.none) } != sum { $0.add(0) })
    #expect(sum { $0.add(Double?.none) } != sum { $0.add(0.0) })
    #expect(sum { $0.add(Bool?.none) } != sum { $0.add(false) })
    #expect(sum { $0.add(String?.none) } != sum { $0.add("") })
  }
}
