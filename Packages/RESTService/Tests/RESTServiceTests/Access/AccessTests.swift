import Foundation
import MemoryStore
import RESTService
import Testing

@Suite struct `Access to records` {
  /// Everybody reads owners; a novel belongs to its writer.
  private func library() async throws -> Library {
    let library = Library { access in
      access.allow(.read, Owner.self)
      access.allow(.all, Novel.self) { request, novel in request.user != nil && request.user == novel.writer }
      access.hide(\Owner.$secret)
    }
    for (title, writer) in [("a", "ada"), ("b", "bob"), ("c", "ada"), ("d", "bob"), ("e", "ada")] {
      let novel = Novel()
      (novel.title, novel.writer) = (title, writer)
      try await library.store.create(novel)
    }
    let owner = Owner()
    (owner.name, owner.secret) = ("Olga", "pearl")
    try await library.store.create(owner)
    return library
  }

  @Test func `A list has the records that the user may read, in pages without gaps`() async throws {
    let library = try await library()
    #expect(try await library.request("GET", "/novels", user: "ada").titles == ["a", "c", "e"])
    let page = try await library.request("GET", "/novels?limit=2", user: "ada")
    #expect(page.titles == ["a", "c"])
    #expect(try await library.request("GET", try page.next(after: "/novels"), user: "ada").titles == ["e"])
    #expect(try await library.request("GET", "/novels?offset=1&limit=1", user: "ada").titles == ["c"])
    #expect(try await library.request("GET", "/novels", user: "eve").titles == [])
  }

  @Test func `A record of another user is absent`() async throws {
    let library = try await library()
    #expect(try await library.request("GET", "/novels/2", user: "ada").status == 404)
    #expect(try await library.request("PATCH", "/novels/2", ["rating": 1], user: "ada").status == 404)
    #expect(try await library.request("DELETE", "/novels/2", user: "ada").status == 404)
    #expect(try await library.request("GET", "/novels/2", user: "bob").json?["rating"] == nil)
  }

  @Test func `A record can't be given away, nor created for another user`() async throws {
    let library = try await library()
    #expect(try await library.request("PATCH", "/novels/1", ["writer": "bob"], user: "ada").status == 403)
    #expect(try await library.request("POST", "/novels", ["title": "x", "writer": "bob"], user: "ada").status == 403)
    #expect(try await library.request("PUT", "/novels/2", ["title": "x", "writer": "ada"], user: "ada").status != 200)
    #expect(try await library.request("GET", "/novels/2", user: "bob").json?["title"] == "b")
    #expect(try await library.request("GET", "/novels/1", user: "ada").json?["writer"] == "ada")
  }

  @Test func `A PUT does not reveal a record of another user`() async throws {
    let library = try await library()
    let answer = try await library.request(
      "PUT", "/novels/2", ["title": "x", "writer": "ada"], headers: ["If-None-Match": "*"], user: "ada")
    #expect(answer.status == 412)
    #expect(answer.json?["current"] == nil)
  }

  @Test func `An action that no rule allows is refused`() async throws {
    let library = try await library()
    #expect(try await library.request("POST", "/owners", ["name": "Paul"], user: "ada").status == 403)
    #expect(try await library.request("POST", "/owners", ["name": "Paul"]).status == 401)
    #expect(try await library.request("DELETE", "/owners/1", user: "ada").status == 403)
  }

  @Test func `A class without a rule is served to no user`() async throws {
    let library = Library { access in access.allow(.read, Owner.self) }
    #expect(try await library.request("GET", "/novels").status == 401)
    #expect(try await library.request("GET", "/novels/1", user: "ada").status == 403)
  }

  @Test func `A hidden field is neither shown nor written nor usable in conditions and orders`() async throws {
    let library = Library { access in
      access.allow(.all, Owner.self)
      access.allow(.all, Novel.self)
      access.hide(\Owner.$secret)
    }
    let owner = Owner()
    (owner.name, owner.secret) = ("Olga", "pearl")
    try await library.store.create(owner)
    #expect(try await library.request("GET", "/owners/1").json == ["id": 1, "name": "Olga"])
    #expect(try await library.request("GET", "/owners").json == [["id": 1, "name": "Olga"]])
    #expect(try await library.request("PATCH", "/owners/1", ["secret": "x"]).status == 422)
    #expect(try await library.request("PUT", "/owners/1", ["name": "Olga"]).status == 200)
    let condition = "%7B%22field%22:%22secret%22,%22is%22:%22hasPrefix%22,%22value%22:%22p%22%7D"
    #expect(try await library.request("GET", "/owners?where=\(condition)").status == 400)
    #expect(try await library.request("GET", "/owners?sort=%5B%7B%22field%22:%22secret%22%7D%5D").status == 400)
    let related = condition.replacing("secret", with: "owner.secret")
    #expect(try await library.request("GET", "/novels?where=\(related)").status == 400)
    // The stored value stays.
    #expect(try await MemoryModelStore(library.store.handle).lookup(Owner.self, identifier: "1").secret == "pearl")
  }

  @Test func `A condition can't read records of another class that the user may not read`() async throws {
    let library = Library { access in
      access.allow(.all, Novel.self)
      access.allow(.read, Owner.self) { request, owner in request.user == owner.name }
    }
    let condition = "%7B%22field%22:%22owner.name%22,%22is%22:%22hasPrefix%22,%22value%22:%22O%22%7D"
    #expect(try await library.request("GET", "/novels?where=\(condition)", user: "ada").status == 400)
  }

  @Test func `A protected field is shown but not written`() async throws {
    let library = Library { access in
      access.allow(.all, Novel.self)
      access.protect(\Novel.$rating)
    }
    try await library.add("Emma")
    let answer = try await library.request("PATCH", "/novels/1", ["rating": 5])
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?["rating"] == ["can't be written"])
    #expect(try await library.request("PUT", "/novels/1", ["title": "Persuasion"]).status == 200)
  }
}

@Suite struct `Many clients of one service` {
  @Test func `Writers at the same time lose no update`() async throws {
    let library = Library()
    try await library.add("Emma")
    let service = library.service
    // Each adds to the number that it read, and tries again if another was faster.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            var isWritten = false
            while !isWritten {
              let url = try #require(URL(string: "http://library.test/novels/1"))
              let read = Answer(response: await service.respond(to: HTTPRequestData(.get, url)))
              let count = Int(read.json?["writer"]?.stringValue ?? "0") ?? 0
              let body = try JSONValue.object(["writer": .string("\(count + 1)")]).jsonData()
              let write = HTTPRequestData(.patch, url, headers: ["If-Match": read.tag ?? ""], body: body)
              let status = await service.respond(to: write).status
              try #require(status == 200 || status == 412 || status == 409)
              isWritten = status == 200
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await library.request("GET", "/novels/1").json?["writer"] == "80")
  }

  @Test func `A request beyond the limit of requests at once is answered with 503`() async throws {
    let library = Library(options: RESTServiceOptions(maximumRequests: 0))
    let answer = try await library.request("GET", "/novels")
    #expect(answer.status == 503)
    #expect(answer.response.headers["Retry-After"] == "1")
  }

  @Test func `A reference to a record that the user may not read is refused as one to a missing record`() async throws {
    let library = Library { access in
      access.allow(.read, Owner.self) { request, owner in request.user == owner.name }
      access.allow(.all, Novel.self)
    }
    let owner = Owner()
    owner.name = "ada"
    try await library.store.create(owner)
    for (user, identifier, status) in [("bob", 1, 422), ("bob", 2, 422), ("ada", 1, 201)] {
      let answer = try await library.request(
        "POST", "/novels", ["title": "Emma", "owner": .int(identifier)], user: user)
      #expect(answer.status == status)
      #expect(status == 201 || answer.json?["errors"]?["owner"] == ["references a missing Owner"])
    }
  }
}
