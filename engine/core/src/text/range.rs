//! Parses ranges of numbers, such as `8..24`.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Parses `A..B` or `A..=B`, which both include `B`, or `A` alone. Returns `None` for any other
/// text, if `B` is less than `A`, or if a number is outside `limits`.
pub fn parse_range<T>(text: &str, limits: &RangeInclusive<T>) -> Option<RangeInclusive<T>>
where
    T: FromStr + PartialOrd,
{
    let end = |text: &str| text.trim().parse().ok().filter(|end| limits.contains(end));
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let range = end(first)?..=end(last.strip_prefix('=').unwrap_or(last))?;
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regression: some commands accepted only `30..40`, others only `8..=24`.
    #[test]
    fn a_range_includes_its_end_however_it_is_written() {
        let parse = |text| parse_range::<u8>(text, &(0..=59));
        for text in ["8..24", "8..=24", " 8 .. 24 ", "8 ..= 24"] {
            assert_eq!(parse(text), Some(8..=24), "{text}");
        }
        assert_eq!(parse("36"), Some(36..=36));
        for text in ["", "..", "24..8", "0..60", "a..b", "-1..3", "3..", "..3", "1..2..3", "300"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
