// The prefix caches of normalizers that have finished, for the next ones: a run with hundreds of short lists would parse
// the first number of every prefix by the rules again in each.

import BasicContainers
import Synchronization

/// Keeps a few prefix caches. What a cache has learned holds for any list with the same options.
enum PrefixCaches {
  /// The maximum number of caches, 145,000 bytes each: the sources of a pipeline have few different regions.
  private static let cachesMax = 8

  private static let caches = Mutex(RigidArray<PrefixCache>(capacity: cachesMax))

  /// Returns a cache for these options: one that was kept, or an empty one.
  static func take(_ options: NormalizeOptions) -> PrefixCache {
    let known = caches.withLock { caches -> PrefixCache? in
      for index in 0..<caches.count where caches[index].reader.options == options {
        return caches.remove(at: index)
      }
      return nil
    }
    return known ?? PrefixCache(NumberReader(options: options))
  }

  /// Keeps a cache, in place of the oldest one if there are too many.
  static func keep(_ cache: consuming PrefixCache) {
    let kept = Mutex<PrefixCache?>(cache)
    caches.withLock { caches in
      if caches.count == cachesMax { _ = caches.remove(at: 0) }
      if let cache = kept.withLock({ $0.take() }) { caches.append(cache) }
    }
  }
}
