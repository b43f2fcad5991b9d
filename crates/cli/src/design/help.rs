//! `ordinate help controllers`.

/// Controllers on one screen.
pub const HELP: &str = "\
The controller is designed for the linear model at an equilibrium, and written together with the nonlinear plant.

  ordinate design lqr cart.eq --at \"phi=0\" --q 1,10,1,10 --r 0.1 -o cart-lqr.eq
  ordinate run cart-lqr.eq --set \"phi=0.3\" --plot

The operating point: --at \"phi=0, u=0\"; unnamed states keep their start values, unnamed inputs are chosen such
that the point is an equilibrium. --equilibrium moves it to one nearby; named states stay. All gains act on
deviations from the point. --input names the inputs that the controller drives (otherwise all); the others stay inputs.

  place --poles \"-5+1i,-5-1i\"   state feedback with these poles, one for each state
  lqr --q 15,2 --r 1            minimises the integral of x'Qx + u'Ru: one weight for each state (input), or a matrix
                                [[15,0],[0,2]]; by default the parameters q_omega, r_u … of the model. A common weight is
                                1/(largest acceptable deviation)^2
  lqi                           the same with an integrator, whose weight is the last of --q
  pid --output y --kp 2 --ki 1 --kd 0.1
                                u = kp*(b*r - y) + ki*integral + kd*derivative of (c*r - y), --weight b,c (1,0);
                                derivative filter with time constant kd/(kp*N), --filter N (10; none if y' is a state);
                                --limits LOW,HIGH with --anti-windup back|clamp|none
                                --tune simc|zn (linear model), itae|ise (runs of the nonlinear one), --form p|pi|pd|pid
  fblin --output phi --reference \"cos(t)\" --poles \"-1,-1\"
                                feedback linearisation by the model's own formulas: the error of the output has these
                                poles; zero dynamics are reported; the loop stops where the control law is singular
  lyapunov --v \"x^2 + y^2\" --region \"x=-1..1, y=-1..1\"
                                no controller: proves V > 0 and V' <= 0 around an equilibrium, or gives a counterexample

  --reference omega=0.5         kr makes the static gain from the reference to this output (or state) one
  --integral omega              ki integrates r - y: one more pole, or --ki with the poles of the states
  --measured x,phi              an observer estimates the states: --observer-poles, or --noise-q and --noise-r (Kalman)
  --sampled 0.01                a sampled controller, zero-order hold, exact discretisation; poles are given in s
                                (--discrete-poles: in z), the cost of lqr counts what happens between the samples

The closed loop keeps the text of the model; gains are parameters, references are inputs, so `--set omega_r=1` changes one.
Its start values are those of the model, or closer to the point if the loop does not reach it from there (--start
gives others). An unstable loop is not written without --force, and the exit code is 3.
";
