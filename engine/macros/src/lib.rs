//! The attribute `compiled_for`, which `othello_core::simd` re-exports.
//!
//! The versions of a function, one for each instruction set, call an `#[inline(always)]` function
//! with its body. (LLVM may not inline a closure into a function with more target features.)

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, FnArg, GenericParam, ItemFn, parse_macro_input, parse_quote};

/// Compiles a function once for each instruction set. A call runs the version that the argument of
/// the attribute selects: an `InstructionSet` that the processor has, such as
/// `InstructionSet::chosen()`, or `I::SET` if a parameter's type `I` is proof of the set.
#[proc_macro_attribute]
pub fn compiled_for(set: TokenStream, function: TokenStream) -> TokenStream {
    let set = parse_macro_input!(set as Expr);
    let ItemFn { attrs, vis, sig, block, .. } = parse_macro_input!(function as ItemFn);

    // Each parameter's pattern is replaced by a name, which can be passed on to a version.
    let (mut plain, mut names, mut receiver) = (sig.clone(), vec![], quote!());
    for (number, parameter) in plain.inputs.iter_mut().enumerate() {
        match parameter {
            FnArg::Receiver(_) => receiver = quote!(self.),
            FnArg::Typed(parameter) => {
                let name = format_ident!("parameter_{number}");
                *parameter.pat = parse_quote!(#name);
                names.push(name);
            }
        }
    }
    let generics = sig.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
    });
    let generics = quote!(::<#(#generics),*>);
    let version = |suffix: &str| {
        let mut version = plain.clone();
        version.ident = format_ident!("{}_{suffix}", sig.ident);
        version
    };
    let (avx512, avx2) = (version("avx512"), version("avx2"));
    let (name_avx512, name_avx2) = (&avx512.ident, &avx2.ident);
    let mut body = sig.clone();
    body.ident = format_ident!("{}_inlined", sig.ident);
    let inlined = &body.ident;

    quote! {
        #(#attrs)*
        #vis #plain {
            match #set as u8 {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the argument is a set that the processor has.
                2 => unsafe { #receiver #name_avx512 #generics(#(#names),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the argument is a set that the processor has.
                1 => unsafe { #receiver #name_avx2 #generics(#(#names),*) },
                _ => #receiver #inlined #generics(#(#names),*),
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(
            enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt",
            enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
        )]
        #avx512 {
            #receiver #inlined #generics(#(#names),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
        #avx2 {
            #receiver #inlined #generics(#(#names),*)
        }

        #[inline(always)]
        #body #block
    }
    .into()
}
