use tent::State;

#[derive(State)]
struct Shop {
    counter: std::rc::Rc<u32>,
}

#[derive(State)]
#[state(krate = x)]
struct Other;

fn main() {}
