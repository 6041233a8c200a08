public import Lockstep

/// A film of the catalogue.
public struct Movie: Sendable, Hashable {
    /// The row's key; 0 before it is inserted.
    public var id: Int64
    /// The title.
    public var title: String
    /// The category, such as `Crime`; can be empty.
    public var category: String
    /// The year of its release.
    public var year: Int
    /// The address of a page about it, if there is one.
    public var movieURL: String?
    /// The address of its cover; can be empty.
    public var coverURL: String
    /// Whether it was watched.
    public var isWatched: Bool
    /// How much it is liked, within ``likesRange``.
    public var likes: Int

    /// The valid values of ``likes``.
    public static let likesRange = 0...3

    /// The columns of the table `movies`, as SQL names them.
    public enum Column: String, Sendable, CaseIterable {
        /// The key.
        case id = "movieID"
        /// ``Movie/title``
        case title
        /// ``Movie/category``
        case category
        /// ``Movie/year``
        case year
        /// ``Movie/movieURL``
        case movieURL
        /// ``Movie/coverURL``
        case coverURL
        /// ``Movie/isWatched``
        case watched
        /// ``Movie/likes``
        case likes
    }

    /// Makes a film.
    public init(
        id: Int64 = 0, title: String, category: String, year: Int, movieURL: String? = nil,
        coverURL: String = "", isWatched: Bool = false, likes: Int = 0
    ) {
        self.id = id
        self.title = title
        self.category = category
        self.year = year
        self.movieURL = movieURL
        self.coverURL = coverURL
        self.isWatched = isWatched
        self.likes = likes
    }

    /// Reads a row whose columns are those of ``Column``, in their order.
    init(row: borrowing Row) throws {
        id = try row[0]
        title = try row[1]
        category = try row[2]
        year = try row[3]
        movieURL = try row[4]
        coverURL = try row[5]
        isWatched = try row[6]
        likes = try row[7]
    }
}

extension Movie: RowEncodable {
    /// Appends all columns but the key, in the order of ``Column``.
    public func encode(to parameters: inout Parameters) {
        parameters.append(title)
        parameters.append(category)
        parameters.append(year)
        parameters.append(movieURL)
        parameters.append(coverURL)
        parameters.append(isWatched)
        parameters.append(likes)
    }
}
