//! The house's time zone: the clock on its wall, through summer and winter.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use super::Config;

/// The zone of a name such as `Australia/Sydney`, or of an offset such as `+10:00`.
pub(super) fn named(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok().or_else(|| fixed(name))
}

fn fixed(offset: &str) -> Option<TimeZone> {
    let (sign, rest) = match offset.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let two = |digits: &str| {
        let are = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        are.then(|| digits.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    let is_there = hours <= 14 && minutes < 60;
    let seconds = sign * (hours * 60 + minutes) * 60;
    is_there.then(|| Offset::from_seconds(seconds).ok().map(TimeZone::fixed)).flatten()
}

fn at(micros: u64) -> Timestamp {
    let micros = i64::try_from(micros).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX)
}

impl Config {
    /// How far the clock on the wall is before UTC at a time, in minutes.
    #[must_use]
    pub fn ahead_of_utc(&self, now: u64) -> i32 {
        self.time_zone.to_offset(at(now)).seconds() / 60
    }

    /// How far the clock on the wall is before UTC when it shows that time, in minutes.
    #[must_use]
    pub fn ahead_of_utc_when_it_shows(&self, shown: u64) -> i32 {
        let civil = Offset::UTC.to_datetime(at(shown));
        let then = self.time_zone.to_timestamp(civil).unwrap_or(at(shown));
        self.time_zone.to_offset(then).seconds() / 60
    }

    /// The name of the zone, as browsers know it.
    #[must_use]
    pub fn zone_name(&self) -> String {
        if let Some(name) = self.time_zone.iana_name() {
            return name.to_owned();
        }
        let minutes = self.ahead_of_utc(0);
        let sign = if minutes < 0 { '-' } else { '+' };
        format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Midnight of a day, as a clock shows it, in microseconds.
    fn shown(day: &str) -> u64 {
        let day: jiff::civil::Date = day.parse().expect("a day");
        let there = Offset::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight()));
        u64::try_from(there.expect("in range").as_microsecond()).expect("after 1970")
    }

    #[test]
    fn the_clock_on_the_wall_knows_summer_and_winter() {
        let config =
            Config { time_zone: named("Australia/Sydney").expect("a zone"), ..Config::default() };
        let minutes = |day| config.ahead_of_utc_when_it_shows(shown(day));
        assert_eq!([minutes("2027-01-15"), minutes("2027-07-15")], [660, 600]);
        // Summer time ended on 4 April 2027 at 3:00, which is 16:00 of the day before in UTC.
        assert_eq!([minutes("2027-04-04"), minutes("2027-04-05")], [660, 600]);
        let hour = 3_600_000_000;
        let before = config.ahead_of_utc(shown("2027-04-03") + 16 * hour - 1);
        assert_eq!((before, config.ahead_of_utc(shown("2027-04-03") + 16 * hour)), (660, 600));
        assert_eq!(config.zone_name(), "Australia/Sydney");
    }

    #[test]
    fn an_offset_is_a_zone_and_nonsense_is_none() {
        let config =
            |name: &str| Config { time_zone: named(name).expect("a zone"), ..Config::default() };
        for (name, minutes) in [("+10:00", 600), ("-03:30", -210), ("+00:00", 0), ("UTC", 0)] {
            assert_eq!(config(name).ahead_of_utc(0), minutes, "{name}");
        }
        assert_eq!(config("-03:30").zone_name(), "-03:30");
        for bad in
            ["", "+", "10:00", "+1:00", "+10:60", "+15:00", "+aa:bb", "Mars/Olympus", "+-1:00"]
        {
            assert!(named(bad).is_none(), "{bad}");
        }
    }
}
