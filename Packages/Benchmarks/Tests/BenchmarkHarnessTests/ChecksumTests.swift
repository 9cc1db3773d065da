import BenchmarkHarness
import Testing

@Suite struct `A checksum` {
  private func sum(_ add: (inout Checksum) -> Void) -> UInt64 {
    var checksum = Checksum()
    add(&checksum)
    return checksum.value
  }

  @Test func `depends on values and on their order`() {
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

  @Test func `tells where one text ends and the next begins`() {
    #expect(sum { $0.add(["ab", "c"]) } != sum { $0.add(["a", "bc"]) })
    #expect(sum { $0.add("") } != sum { _ in })
  }

  @Test func `tells no value from zero`() {
    #expect(sum { $0.add(Int?.none) } != sum { $0.add(0) })
    #expect(sum { $0.add(Double?.none) } != sum { $0.add(0.0) })
    #expect(sum { $0.add(Bool?.none) } != sum { $0.add(false) })
    #expect(sum { $0.add(String?.none) } != sum { $0.add("") })
  }
}
