#![allow(unused)]

#[tent::query(about = "Long.", access = "anyone", offer = "mcp")]
fn synchronize_all_customer_data_across_multiple_regional_systems_now() {}

#[tent::query(access = "anyone", name = "synchronize_all_customer_data_across_multiple_regional_systems_now")]
fn stated() {}

fn main() {}
