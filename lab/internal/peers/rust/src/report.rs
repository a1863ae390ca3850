//! The answer for a repetition.

/// The number of steps of the ephemeral workloads.
pub const STEPS: usize = 255;

/// Collects the figures of one repetition as lines.
#[derive(Default)]
pub struct Report {
    pub lines: Vec<String>,
}

impl Report {
    pub fn ns(&mut self, metric: &str, value: f64, sum: u64) {
        self.lines.push(format!("metric {} ns {} {}", metric, value, sum));
    }

    pub fn bytes(&mut self, metric: &str, value: f64, sum: u64) {
        self.lines.push(format!("metric {} bytes {} {}", metric, value, sum));
    }

    pub fn steps(&mut self, ns: &[f64], sum: u64) {
        let mut line = format!("steps {}", sum);
        for t in ns {
            line.push_str(&format!(" {}", t));
        }
        self.lines.push(line);
    }
}

/// A series of repetitions: each call does one.
pub type Series = Box<dyn FnMut(&mut Report)>;
